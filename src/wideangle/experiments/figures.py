"""Figures drawn as PNG and SVG, readable without colours. Needs matplotlib."""

import io
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wideangle._files import replacing
from wideangle._optional import optional_import
from wideangle.experiments.in_words import MINUS, one_line
from wideangle.experiments.tables_and_figures import Cell, Curve, Figure, Panel

__all__ = ["STYLES", "draw"]

WIDTH = 6.5  # inches, a page without its margins
WIDEST, NARROWEST = 2.4, 1.1  # points, the line of the first curve and that of the last
CROWDED = 9  # points; markers become smaller where they are closer
DPI, COLOURS = 200, 256
ROW_HEIGHTS = {1: 3.5, 2: 2.5, 3: 2.1}  # inches, by the panels in a row
LETTER = 0.066  # inches, the mean width of a letter of 8 points
STYLES = (
    # Colour, marker, its size in points, line. Each has its own lightness, and the first few are far apart in grey.
    ("#0b1f4b", "o", 5.0, "-"),
    ("#d0782a", "s", 4.8, (0, (5, 1.5))),
    ("#1c6b58", "^", 5.6, (0, (1, 1.2))),
    ("#e3b93c", "D", 4.8, (0, (6, 1.5, 1, 1.5))),
    ("#84224f", "v", 5.6, (0, (3, 1, 1, 1, 1, 1))),
    ("#3a7fb8", "P", 6.6, (0, (8, 2))),
    ("#4a2c12", "X", 6.4, (0, (2, 1))),
    ("#9ba7ae", "*", 8.5, (0, (4, 1, 1, 1))),
)
SCALES = ("linear", "log", "places")
BARS = "Points are means over seeds, bars one standard deviation up and down."
LOOKS = {
    "font.family": "DejaVu Sans",  # shipped with matplotlib, so that files are the same on every machine
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "xtick.color": "#666666",
    "ytick.color": "#666666",
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "svg.fonttype": "path",  # so that the SVG has the letters of the PNG wherever it is shown
    "svg.hashsalt": "wideangle",  # Identifiers are otherwise random.
}


def draw(figure: Figure, folder: Path, endings: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Write NAME.png and NAME.svg, the same picture, or one of them. The same figure gives the same bytes.

    Points are means over seeds, bars one standard deviation up and down. A curve has a gap where nothing was run.
    """
    names = _check(figure)
    # Importing this module must not import matplotlib.
    style = optional_import("matplotlib.style", extra="plot", purpose="a drawing")
    figures = optional_import("matplotlib.figure", extra="plot", purpose="a drawing")
    looks = dict(zip(names, STYLES, strict=False))
    with style.context(["default", LOOKS]):
        picture = _picture(figures, figure, looks)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{figure.name}.{ending}" for ending in endings]
        for path in paths:
            with replacing(path) as temporary:
                if path.suffix == ".png":
                    _write_png(picture, temporary)
                else:
                    metadata = {"Date": None, "Creator": None, "Title": one_line(figure.title)}
                    picture.savefig(temporary, format="svg", metadata=metadata)
    return paths


def _write_png(picture: Any, path: Path) -> None:
    """With a palette, which is enough for a few curves and takes a third of the bytes."""
    images = optional_import("PIL.Image", extra="plot", purpose="a drawing")  # matplotlib needs it too.
    content = io.BytesIO()
    picture.savefig(content, format="png", dpi=DPI, metadata={"Software": None})
    with images.open(content) as image:
        image.convert("RGB").quantize(COLOURS).save(path, format="png", optimize=True, dpi=(DPI, DPI))


def _check(figure: Figure) -> list[str]:
    """Refuse what cannot be drawn. The names of the curves that have points, in order, each once."""
    if Path(figure.name).name != figure.name:
        raise ValueError(f"{figure.name!r} cannot name a file: leave out folders")
    if not figure.panels:
        raise ValueError(f"the figure {figure.name!r} has no panels: give at least one, which may be without curves")
    names: dict[str, None] = {}
    for panel in figure.panels:
        if panel.x_scale not in SCALES or panel.y_scale not in SCALES[:2]:
            raise ValueError(
                f"the panel {panel.title!r} has the scales {panel.x_scale!r} and {panel.y_scale!r}: "
                "x takes linear, log or places, y linear or log"
            )
        for curve in panel.curves:
            _check_curve(curve, panel)
            if _has_points(curve):
                names[curve.name] = None
    if len(names) > len(STYLES):
        raise ValueError(
            f"the figure {figure.name!r} has {len(names)} curves of different names, of which at most {len(STYLES)} "
            "can be told apart: draw several figures"
        )
    return list(names)


def _check_curve(curve: Curve, panel: Panel) -> None:
    if len(curve.x) != len(curve.values):
        raise ValueError(f"the curve {curve.name!r} has {len(curve.x)} x, but values at {len(curve.values)}")
    if panel.x_scale == "log" and any(x <= 0 for x in curve.x):
        raise ValueError(
            f"the curve {curve.name!r} has an x that is not above 0, and a log scale: take x_scale='places'"
        )
    if panel.y_scale == "log" and any(value <= 0 for values in curve.values for value in values):
        raise ValueError(f"the curve {curve.name!r} has a value that is not above 0, and a log scale: take 'linear'")


def _has_points(curve: Curve) -> bool:
    return any(math.isfinite(_mean(values)) for values in curve.values)


def _mean(values: tuple[float, ...]) -> float:
    mean = Cell(values).mean
    return math.nan if mean is None else mean


def _deviation(values: tuple[float, ...]) -> float:
    deviation = Cell(values).deviation
    return math.nan if deviation is None else deviation  # No bar is drawn where it is not a number.


def _picture(figures: Any, figure: Figure, looks: dict[str, Any]) -> Any:
    rows = math.ceil(len(figure.panels) / 3)
    columns = math.ceil(len(figure.panels) / rows)  # Four panels are two and two, not three and one.
    legend_columns, legend_rows = _legend_shape(list(looks)) if len(looks) > 1 else (1, 0)
    title = textwrap.fill(one_line(figure.title), 68)
    height = ROW_HEIGHTS[columns] * rows + 0.17 * legend_rows + 0.15 + 0.2 * len(title.splitlines()) + 0.1
    picture = figures.Figure(figsize=(WIDTH, height), layout="constrained")
    picture.get_layout_engine().set(w_pad=0.06, h_pad=0.06, wspace=0.03, hspace=0.04)
    if title:
        picture.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold", parse_math=False)
    grid = picture.subplots(rows, columns, squeeze=False)
    handles: dict[str, Any] = {}
    for place, axes in enumerate(grid.flat):
        if place >= len(figure.panels):
            axes.remove()
            continue
        panel = figure.panels[place]
        handles |= _draw_panel(axes, panel, looks, width=0.85 * WIDTH / columns, height=ROW_HEIGHTS[columns])
        if place % columns and panel.y_label == figure.panels[place - 1].y_label:
            axes.set_ylabel("")  # The panel to the left says it.
    picture.align_labels()
    has_bars = any(len(values) > 1 for panel in figure.panels for curve in panel.curves for values in curve.values)
    if len(looks) > 1:  # One curve needs no name.
        # Labels that start with an underscore are left out of a legend, so that the names are set afterwards.
        legend = picture.legend(
            [handles[name] for name in looks],
            [str(place) for place in range(len(looks))],
            loc="outside lower center",
            ncols=legend_columns,
            frameon=False,
            handlelength=3.4,
            columnspacing=1.6,
            title=BARS if has_bars else None,
            title_fontproperties={"size": 8},
        )
        legend.get_title().set_color("#555555")
        for text, name in zip(legend.get_texts(), looks, strict=True):
            text.set(text=one_line(name), parse_math=False)
    elif has_bars:
        picture.supxlabel(BARS, fontsize=8, color="#555555")
    return picture


def _draw_panel(axes: Any, panel: Panel, looks: dict[str, Any], width: float, height: float) -> dict[str, Any]:
    axes.set_title(textwrap.fill(one_line(panel.title), round(width / LETTER)), loc="left", parse_math=False)
    axes.set_xlabel(one_line(panel.x_label), parse_math=False)
    axes.set_ylabel(textwrap.fill(one_line(panel.y_label), round(0.65 * height / LETTER)), parse_math=False)
    curves = [curve for curve in panel.curves if _has_points(curve)]
    if not curves:
        axes.set_xticks([0.5], [" "])  # so that the labels stand where those of other panels do
        axes.set_yticks([])
        axes.tick_params(length=0)
        axes.text(
            0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color="#666666", style="italic"
        )
        return {}
    ticks = sorted({x for curve in curves for x in curve.x})
    handles = {}
    room = min(1.0, 72 * 0.8 * width / len(ticks) / CROWDED)
    for curve in curves:
        colour, marker, size, line = looks[curve.name]
        # The first curve is the widest and lies below, so that curves which are the same are all seen.
        order = list(looks).index(curve.name) / max(1, len(looks) - 1)
        points = sorted(zip(curve.x, curve.values, strict=True))
        handles[curve.name] = axes.errorbar(
            [ticks.index(x) if panel.x_scale == "places" else x for x, _ in points],
            [_mean(values) for _, values in points],
            [_deviation(values) for _, values in points],
            color=colour,
            linestyle=line,
            linewidth=WIDEST + order * (NARROWEST - WIDEST),
            marker=marker,
            markersize=size * room * (1.3 - 0.5 * order),
            markeredgecolor="white",
            markeredgewidth=0.5 * room,
            elinewidth=0.8,
            capsize=2 * room,
            zorder=3 + order,
        )
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.6)
    _set_scales(axes, panel, ticks, 0.8 * width)
    return handles


def _set_scales(axes: Any, panel: Panel, ticks: Sequence[float], width: float) -> None:
    if panel.x_scale == "log":
        axes.set_xscale("log")
        axes.minorticks_off()
    if panel.x_scale != "linear":
        labels = [_tick(x) for x in ticks]
        places = range(len(ticks)) if panel.x_scale == "places" else [math.log(x) for x in ticks]
        turned = {"rotation": 60} if _too_close(places, labels, width) else {}
        axes.set_xticks(places if panel.x_scale == "places" else ticks, labels, **turned)
    elif all(float(x).is_integer() for x in ticks):
        axes.xaxis.get_major_locator().set_params(integer=True)
    if panel.x_scale == "places":
        axes.set_xlim(-0.35, len(ticks) - 0.65)
    if panel.y_scale == "log":
        axes.set_yscale("log", nonpositive="clip")
        axes.minorticks_off()
        low, high = axes.get_ylim()
        if high < 20 * low:  # Too few powers of ten for ticks; a part of one would make small ratios look large.
            axes.set_ylim(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)))
        axes.yaxis.set_major_formatter(lambda y, _: _tick(y))


def _too_close(places: Sequence[float], labels: Sequence[str], width: float) -> bool:
    """Whether labels side by side would touch, in a panel of this many inches."""
    if len(places) < 2:
        return False
    inches = width / (places[-1] - places[0])
    return any(
        (after - before) * inches < LETTER * ((len(left) + len(right)) / 2 + 1)
        for before, after, left, right in zip(places, places[1:], labels, labels[1:], strict=False)
    )


def _tick(x: float) -> str:
    """A number as short as it can be read: 0.001, 500, 10⁻⁵, 2·10⁶."""
    if x == 0 or 1e-3 <= abs(x) < 1e5:
        return f"{x:g}".replace("-", MINUS)
    factor, power = f"{x:.5e}".split("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    factor = f"{float(factor):g}".replace("-", MINUS)
    return f"10{raised}" if factor == "1" else f"{factor}·10{raised}"


def _legend_shape(names: Sequence[str]) -> tuple[int, int]:
    """Columns and rows, as few rows as fit into the width of the page."""
    for rows in range(1, len(names) + 1):
        columns = [names[start : start + rows] for start in range(0, len(names), rows)]
        if rows == len(names) or sum(0.65 + LETTER * max(map(len, column)) for column in columns) <= WIDTH:
            return len(columns), rows
    return 1, 0
