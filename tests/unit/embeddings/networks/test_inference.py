"""A trained network at work gives what its layers give."""

import pytest

from earnest.embeddings.networks import inference
from earnest.embeddings.networks.architectures import ARCHITECTURES, build

torch = pytest.importorskip("torch", reason="torch is not installed (`make torch`)")


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_networks_are_computed_without_normalisation_and_give_the_same(name) -> None:
    torch.manual_seed(0)
    frames = 100
    network = build(name, classes=3, frames=frames)
    maps = torch.randn(4, 1, ARCHITECTURES[name].spectrogram.bands, frames)
    network["body"](maps)  # running statistics that are not 0 and 1
    network.eval()
    with torch.inference_mode():
        expected = network["body"](maps)
        lighter = inference.fused(network)
        found = lighter["body"](maps)
    assert "BatchNorm2d" not in {type(module).__name__ for module in lighter.modules()}
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
