"""How sphinx-gallery runs gallery and tutorials. `conf.py` takes `sphinx_gallery_conf` and the lists from here."""

from typing import Any

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"  # as in make_figures.py
COLOURS = [BLUE, ORANGE, GREY, "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # told apart by colour-blind readers too

SECTIONS = ("documents", "components", "numbers")

# What is written into docs/ by sphinx-gallery, from which the pages are made.
MADE = {"gallery": "auto_gallery", "tutorials": "auto_tutorials"}

# Headers are copied into the pages, and would be pages of their own besides.
extensions = ["sphinx_gallery.gen_gallery", "live_pages"]

html_extra_path = ["live/html"]  # the explorer pages that were built

exclude_patterns = [*(f"{folder}/**" for folder in MADE), "live/**"]


def use_style(gallery_conf: dict[str, Any], file: str) -> None:
    """Pictures of all examples look alike. An example that is run by itself has matplotlib's own style."""
    import matplotlib.pyplot as plt

    plt.rcParams |= {
        "axes.prop_cycle": plt.cycler(color=COLOURS),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": "medium",
        "figure.constrained_layout.use": True,
        "figure.dpi": 100,
        "figure.figsize": (7.2, 4.0),
        "font.size": 10,
        "image.cmap": "Greys",
        "legend.frameon": False,
    }


sphinx_gallery_conf = {
    "examples_dirs": list(MADE),
    "gallery_dirs": list(MADE.values()),
    "subsection_order": [f"gallery/{name}" for name in SECTIONS],
    "nested_sections": False,
    "filename_pattern": "/",  # all are run
    "within_subsection_order": "FileNameSortKey",
    "ignore_pattern": r"/_",
    "abort_on_example_error": True,
    "reset_modules": ("matplotlib", "seaborn", "gallery_conf.use_style"),
    "image_srcset": ["2x"],
    "capture_repr": (),
    "doc_module": ("wideangle",),
    "reference_url": {"wideangle": None},
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
}
