"""What a study may say about the training of a network, checked."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from earnest.embeddings.networks import architectures

# Options that say where and in which pieces, and so change nothing that a checkpoint is asked for.
PRACTICAL = ("device",)


@dataclass(frozen=True)
class TrainingOptions:
    """How a network is trained.

    Attributes
    ----------
    epochs : int
        Most passes over the training part.
    batch_size : int
        Items behind one step, at least 2.
    learning_rate : float
        Of Adam.
    patience : int
        Epochs without a better validation accuracy after which training ends.
    validation_share : float
        Share of the items, by whole recordings, that only choose the epoch.
    threads : int
        Of the CPU. Another number sums in another order, so it belongs to what is trained.
    device : str
        `auto`, `cpu`, `cuda` or `cuda:1`.
    """

    epochs: int
    batch_size: int
    learning_rate: float
    patience: int
    validation_share: float = 0.3
    threads: int = 1
    device: str = "auto"

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch_size", 2), ("patience", 1), ("threads", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be a whole number from {least} on, got {value!r}")
        if not _number(self.learning_rate) or not self.learning_rate > 0:
            raise ValueError(f"learning_rate must be positive, got {self.learning_rate!r}")
        if not _number(self.validation_share) or not 0 < self.validation_share < 1:
            raise ValueError(
                f"validation_share must lie between 0 and 1, got {self.validation_share!r}"
            )

    @property
    def settings(self) -> dict[str, Any]:
        """What shapes the weights, as plain values."""
        return {key: value for key, value in asdict(self).items() if key not in PRACTICAL}


def training_options(architecture: str, **given: Any) -> TrainingOptions:
    """Complete the options of a study by the defaults of an architecture.

    Raises
    ------
    TypeError
        If there is no such option; those that there are, are listed.
    ValueError
        If a value makes no sense.
    """
    known = [field.name for field in fields(TrainingOptions)]
    unknown = sorted(given.keys() - set(known))
    if unknown:
        raise TypeError(f"{architecture} has no option {unknown[0]!r}; it has {', '.join(known)}")
    own = architectures.find(architecture)
    defaults = {
        key: getattr(own, key) for key in ("epochs", "batch_size", "learning_rate", "patience")
    }
    return TrainingOptions(**(defaults | given))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
