"""What is asked and who answers: binary tasks of subconcepts, their classifiers, their pools."""

from earnest.tasks.building import (
    FEWEST_CLASSES,
    MOST_CLASSES,
    SMALLEST_SIZE,
    Task,
    TaskError,
    build_task,
    context_task,
)

__all__ = [
    "FEWEST_CLASSES",
    "MOST_CLASSES",
    "SMALLEST_SIZE",
    "Task",
    "TaskError",
    "build_task",
    "context_task",
]
