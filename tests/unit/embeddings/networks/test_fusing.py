"""Networks with less work give what their layers give."""

import pytest

from earnest.embeddings.networks import fusing
from earnest.embeddings.networks.architectures import ARCHITECTURES, build

torch = pytest.importorskip("torch", reason="torch is not installed (`make torch`)")


def wide(*, kernel: tuple[int, int] = (7, 7), bias: bool = True, **changes):
    torch.manual_seed(0)
    half = tuple(size // 2 for size in kernel)
    return torch.nn.Conv2d(16, 24, kernel, **{"padding": half, "bias": bias} | changes)


@pytest.mark.parametrize(
    ("kernel", "size", "bias"),
    [((7, 7), (8, 50), True), ((5, 9), (1, 1), False), ((9, 3), (10, 37), True)],
)
def test_product_of_spectra_is_the_convolution(kernel, size, bias) -> None:
    layer = wide(kernel=kernel, bias=bias)
    maps = torch.randn(5, 16, *size)
    with torch.inference_mode():
        found, expected = fusing.spectral(layer)(maps), layer(maps)
    assert not torch.equal(found, expected)  # another way to the same numbers
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_few_and_large_maps_are_left_to_the_layer() -> None:
    layer = wide()
    few, large = torch.randn(3, 16, 8, 10), torch.randn(4, 16, 60, 70)
    with torch.inference_mode():
        for maps in (few, large):
            assert torch.equal(fusing.spectral(layer)(maps), layer(maps))


def test_map_that_is_not_finite_leaves_the_others_alone() -> None:
    layer = fusing.spectral(wide())
    maps = torch.randn(6, 16, 8, 10)
    with torch.inference_mode():
        expected = layer(maps)
        maps[2, 3, 4, 5] = torch.nan
        found = layer(maps)
    assert found[2].isnan().all()
    others = [0, 1, 3, 4, 5]
    assert torch.equal(found[others], expected[others])


@pytest.mark.parametrize(
    "changes", [{"stride": 2}, {"padding": 0}, {"dilation": 2}, {"groups": 2}, {"kernel": (3, 3)}]
)
def test_other_convolutions_stay_as_they_are(changes: dict) -> None:
    network = torch.nn.Sequential(torch.nn.Sequential(wide(**changes)))
    assert type(fusing.with_spectra(network)[0][0]) is torch.nn.Conv2d


@pytest.mark.parametrize(("name", "spectral"), [("cnn", 1), ("conv64f", 0), ("resnet12", 0)])
def test_networks_are_computed_without_normalisation_and_give_the_same(name, spectral) -> None:
    torch.manual_seed(0)
    frames = 100
    network = build(name, classes=3, frames=frames)
    maps = torch.randn(4, 1, ARCHITECTURES[name].spectrogram.bands, frames)
    network["body"](maps)  # running statistics that are not 0 and 1
    network.eval()
    with torch.inference_mode():
        expected = network["body"](maps)
        lighter = fusing.with_spectra(fusing.fused(network))
        found = lighter["body"](maps)
    kinds = [type(module).__name__ for module in lighter.modules()]
    assert kinds.count("Spectral") == spectral
    assert "BatchNorm2d" not in kinds
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
