"""The same network with less work: layers taken together, wide convolutions as products of spectra.

All of it is for networks in evaluation mode, and gives the numbers of the layers as they were
trained but for the last bits.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

# A product of spectra costs two transforms of each channel, and a weight for each frequency that
# must come from memory: worth it for many taps, many channels, small maps, and several of them.
FEWEST_TAPS, FEWEST_CHANNELS, LARGEST_MAP, FEWEST_MAPS = 25, 16, 4_000, 4


def fused(network: "torch.nn.Module") -> "torch.nn.Module":
    """Take batch normalisation into the convolution before it, wherever one follows the other.

    The network must be in evaluation mode; it computes the same, with one layer less to
    write and read.
    """
    from torch import nn
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    for name, child in list(network.named_children()):
        network.add_module(name, fused(child))
    if not isinstance(network, nn.Sequential):
        return network
    layers: list[nn.Module] = []
    for layer in network:
        if isinstance(layer, nn.BatchNorm2d) and layers and isinstance(layers[-1], nn.Conv2d):
            layers[-1] = fuse_conv_bn_eval(layers[-1], layer)
        else:
            layers.append(layer)
    return nn.Sequential(*layers)


def with_spectra(network: "torch.nn.Module") -> "torch.nn.Module":
    """Let the wide convolutions of a fused network on the CPU multiply spectra.

    Of the second layer of `cnn`, 7 x 7 taps between 32 and 64 channels of 8 x 50 values, that
    is half of the time in batches of 16.
    """
    from torch import nn

    for name, child in list(network.named_children()):
        is_wide = isinstance(child, nn.Conv2d) and _is_wide(child)
        network.add_module(name, spectral(child) if is_wide else with_spectra(child))
    return network


def _is_wide(layer: "torch.nn.Conv2d") -> bool:
    rows, columns = layer.kernel_size
    return (
        rows * columns >= FEWEST_TAPS
        and min(layer.in_channels, layer.out_channels) >= FEWEST_CHANNELS
        and layer.padding == (rows // 2, columns // 2)
        and layer.stride == layer.dilation == (1, 1)
        and layer.groups == 1
    )


def spectral(layer: "torch.nn.Conv2d") -> "torch.nn.Module":
    """Return a module that computes a convolution as a product of two-dimensional spectra.

    Parameters
    ----------
    layer : torch.nn.Conv2d
        With an odd kernel, padded with zeros by half of it, stride 1, one group.

    Returns
    -------
    torch.nn.Module
        Takes and returns maps (n, channels, rows, columns) as the layer does. Maps of more than
        `LARGEST_MAP` values, and fewer than `FEWEST_MAPS`, are left to the layer.

    Notes
    -----
    A circular convolution meets, beyond one end of a map, the other. With zeros for half a kernel
    after the map, what lies before its first row or column are these zeros, as after its last.
    """
    import torch

    class Spectral(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer
            self._spectra: dict[tuple[int, int], torch.Tensor] = {}

        def _weights(self, rows: int, columns: int) -> torch.Tensor:
            """Spectrum of the kernels, (frequencies, channels in, channels out)."""
            if (rows, columns) not in self._spectra:
                (height, width), centre = layer.kernel_size, layer.padding
                kernels = torch.nn.functional.pad(
                    layer.weight, (0, columns - width, 0, rows - height)
                ).roll((-centre[0], -centre[1]), dims=(2, 3))
                spectra = torch.fft.rfft2(kernels).conj().resolve_conj()
                self._spectra[rows, columns] = spectra.permute(2, 3, 1, 0).flatten(0, 1)
            return self._spectra[rows, columns]

        def forward(self, maps: torch.Tensor) -> torch.Tensor:
            height, width = maps.shape[2:]
            # zeros for half a kernel at least, and lengths that the transform is quick at
            rows, columns = (
                -(-max(size + half, 2 * half + 1) // 4) * 4
                for size, half in zip((height, width), layer.padding, strict=True)
            )
            if rows * columns > LARGEST_MAP or len(maps) < FEWEST_MAPS:
                return layer(maps)
            # one direction after the other: rows of zeros, and those not kept, are passed over
            spectra = torch.fft.fft(torch.fft.rfft(maps, n=columns), n=rows, dim=2)
            by_frequency = spectra.permute(2, 3, 0, 1).flatten(0, 1)
            products = torch.bmm(by_frequency, self._weights(rows, columns))
            products = products.unflatten(0, (rows, -1)).permute(2, 3, 0, 1)
            kept = torch.fft.ifft(products, dim=2)[:, :, :height]
            sums = torch.fft.irfft(kept, n=columns)[..., :width]
            return sums if layer.bias is None else sums + layer.bias[:, None, None]

    return Spectral()
