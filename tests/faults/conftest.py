"""The whole campaign runs only where it is asked for by name."""


def pytest_collection_modifyitems(config, items):
    """Leave tests marked `faults` out, whatever else is chosen, unless `-m` names them."""
    if "faults" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("faults")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
