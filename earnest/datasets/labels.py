"""What a class name of a study stands for."""


def labels_of(name: str) -> tuple[str, ...]:
    """Return the labels that a class name unites: "dog+dog_bark" gives ("dog", "dog_bark")."""
    return tuple(name.split("+"))
