"""How Sphinx builds these pages: `make docs`.

The pages are Markdown and read well without Sphinx too. The reference is made of the docstrings. A page loads nothing
from elsewhere, so that the site also works from disk, its search included.
"""

import re
import sys
from pathlib import Path
from typing import Any

import wideangle

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for gallery_conf and what it names
import gallery_conf  # noqa: E402

project = "wideangle"
author = "The wideangle developers"
copyright = "The wideangle developers"  # Sphinx asks for this name.
version = release = wideangle.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    *gallery_conf.extensions,
]
templates_path = ["_templates"]

# Scripts of gallery and tutorials are run, and become pages.
exclude_patterns = gallery_conf.exclude_patterns
sphinx_gallery_conf = gallery_conf.sphinx_gallery_conf
html_extra_path = gallery_conf.html_extra_path
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# Tables that are built for the report begin with a small heading.
suppress_warnings = ["myst.header"]

# Markdown
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4  # Links such as `topics.md#how-sure` lead to headings.

# The reference. In docstrings `single backticks` are code, as they are in Markdown.
default_role = "code"
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # The docstrings say what each parameter may be.
toc_object_entries_show_parents = "hide"
autodoc_member_order = "groupwise"
autodoc_inherit_docstrings = True
add_module_names = False
numpydoc_show_class_members = False  # The templates list them.
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # Types in signatures; links between pages are checked.

# What it looks like
html_theme = "pydata_sphinx_theme"
html_title = "wideangle"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "wideangle"},
    "show_prev_next": True,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app: Any) -> None:
    """What Sphinx calls once."""
    app.connect("autodoc-process-docstring", escape_signs, priority=900)  # after numpydoc
    app.connect("autodoc-skip-member", skip_requests)


def escape_signs(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Keeps the bars and stars of formulas such as |x|, and names such as n_iter_, from being read as markup."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", "..", ":")):
            parts = re.split("(`[^`]*`)", line)
            parts[::2] = [re.sub(r"(?<!\\)\||(?<=\w)_(?!\w)|(?<=[\"/])\*", r"\\\g<0>", part) for part in parts[::2]]
            lines[number] = "".join(parts)


def skip_requests(app: Any, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leaves out the methods that scikit-learn adds to route metadata."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None
