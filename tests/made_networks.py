"""Small networks with random weights, saved as the checkpoints that pretrained backends load."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SPEECH = ("wav2vec2_base", "hubert_base", "wavlm_base")
HUB = ("ast", "clap", "clap-fused")
OTHERS = ("panns", "beats")
PRETRAINED = (*SPEECH, *HUB, *OTHERS)


def needs(*packages: str) -> None:
    """Skip a test whose packages are not installed, and say so."""
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    if absent:
        pytest.skip(f"{' and '.join(absent)} not installed: this backend was not tried")


def small_speech(name: str) -> Any:
    """Return two layers of the architecture of a torchaudio bundle, as wide as the real one."""
    import torch
    from torchaudio.models import wav2vec2_model, wavlm_model

    torch.manual_seed(0)
    layers = [(32, 10, 5)] + [(32, 3, 2)] * 4 + [(32, 2, 2)] * 2
    shared: dict[str, Any] = {
        "extractor_mode": "group_norm",
        "extractor_conv_layer_config": layers,
        "extractor_conv_bias": False,
        "encoder_embed_dim": 768,
        "encoder_projection_dropout": 0.0,
        "encoder_pos_conv_kernel": 16,
        "encoder_pos_conv_groups": 16,
        "encoder_num_layers": 2,
        "encoder_num_heads": 4,
        "encoder_attention_dropout": 0.0,
        "encoder_ff_interm_features": 64,
        "encoder_ff_interm_dropout": 0.0,
        "encoder_dropout": 0.0,
        "encoder_layer_norm_first": False,
        "encoder_layer_drop": 0.0,
        "aux_num_out": None,
    }
    if name == "wavlm_base":
        return wavlm_model(**shared, encoder_num_buckets=32, encoder_max_distance=80)
    return wav2vec2_model(**shared)


def save_speech(name: str, folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    import torch
    import torchaudio

    patch.setattr(torchaudio.models, name, lambda: small_speech(name))
    path = folder / f"{name}.pth"
    torch.save(small_speech(name).state_dict(), path)
    return {"checkpoint": str(path), "layer": 2}


def save_hub(name: str, folder: Path) -> dict[str, Any]:
    import torch
    import transformers

    torch.manual_seed(0)
    if name == "ast":
        config = transformers.ASTConfig(
            hidden_size=48, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
        )
        network = transformers.ASTForAudioClassification(config)
        extractor = transformers.ASTFeatureExtractor()
    else:
        fused = name == "clap-fused"
        audio = {
            "patch_embeds_hidden_size": 16,
            "hidden_size": 128,
            "depths": [1, 1, 1, 1],
            "num_attention_heads": [1, 1, 2, 2],
            "enable_fusion": fused,
        }
        text = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        text |= {"intermediate_size": 16, "vocab_size": 100}
        config = transformers.ClapConfig(text_config=text, audio_config=audio, projection_dim=32)
        network = transformers.ClapModel(config)
        extractor = transformers.ClapFeatureExtractor(
            truncation="fusion" if fused else "rand_trunc"
        )
    network.save_pretrained(folder / name)
    extractor.save_pretrained(folder / name)
    return {"checkpoint": str(folder / name)}


def save_panns(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    import torch

    labels = folder / "panns_data/class_labels_indices.csv"
    labels.parent.mkdir()
    rows = [f'{row},/m/{row},"label {row}"' for row in range(527)]
    labels.write_text("\n".join(["index,mid,display_name", *rows]))
    patch.setenv("HOME", str(folder))
    from panns_inference.models import Cnn14

    torch.manual_seed(0)
    network = Cnn14(32_000, 1024, 320, 64, 50, 14_000, 527)
    path = folder / "Cnn14.pth"
    # older checkpoints hold the state of their sampler too, an array
    torch.save({"model": network.state_dict(), "sampler": {"indexes": np.arange(3)}}, path)
    return {"checkpoint": str(path)}


def save_beats(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    import torch
    from speechbrain.lobes.models import beats

    config = {
        "encoder_layers": 2,
        "encoder_ffn_embed_dim": 64,
        "encoder_attention_heads": 4,
        "relative_position_embedding": True,
        "gru_rel_pos": True,
        "deep_norm": True,
        "finetuned_model": True,
        "predictor_class": 5,
    }
    torch.manual_seed(0)
    described = beats.BEATsConfig(config)
    with patch.context() as inner:
        inner.setattr(beats, "BEATsConfig", lambda given: described)
        network = beats.BEATs()
    path = folder / "BEATs.pt"
    torch.save({"cfg": config, "model": network.state_dict()}, path)
    return {"checkpoint": str(path)}


def saved(name: str, folder: Path, patch: pytest.MonkeyPatch) -> tuple[str, dict[str, Any]]:
    """Save a small network; return the backend's name and its options, or skip.

    Parameters
    ----------
    name : str
        One of `PRETRAINED`.
    folder : Path
    patch : pytest.MonkeyPatch
    """
    needs("torch", "torchaudio")
    if name in SPEECH:
        return name, save_speech(name, folder, patch)
    if name in HUB:
        needs("transformers")
        return name.removesuffix("-fused"), save_hub(name, folder)
    if name == "panns":
        needs("panns_inference")
        return name, save_panns(folder, patch)
    needs("speechbrain")
    return name, save_beats(folder, patch)
