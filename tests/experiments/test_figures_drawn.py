"""Pictures are read back: from matplotlib's own artists, from the SVG, and from the grey of the PNG."""

import math
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib import figure as figures
from PIL import Image

from wideangle.experiments.figures import BARS, STYLES, _check, _picture, _tick, draw
from wideangle.experiments.tables_and_figures import Curve, Figure, Panel

X = (25.0, 100.0, 500.0)


def curve(name="RBM", x=X, level=1.0):
    return Curve(name, x, tuple((level + place, level + place + 2) for place in range(len(x))))


def panel(*curves, **settings):
    return Panel("TDT2", curves, "K", "precision", **settings)


def figure(*panels, title="Precision"):
    return Figure("precision", title, panels)


def drawn(shown):
    """The axes of a picture and its legend."""
    picture = _picture(figures, shown, dict(zip(_check(shown), STYLES, strict=False)))
    return picture.axes, picture.legends


def test_both_files_are_the_same_for_the_same_figure(tmp_path):
    shown = figure(panel(curve("RBM"), curve("LSI", level=4)), panel())
    before = dict(matplotlib.rcParams)
    first, second = draw(shown, tmp_path / "new" / "one"), draw(shown, tmp_path / "two")
    assert [path.name for path in first] == ["precision.png", "precision.svg"]
    for left, right in zip(first, second, strict=True):
        assert left.read_bytes() == right.read_bytes()
    assert sorted(path.name for path in first[0].parent.iterdir()) == ["precision.png", "precision.svg"]
    assert dict(matplotlib.rcParams) == before
    with Image.open(first[0]) as image:
        view = ElementTree.parse(first[1]).getroot().get("viewBox").split()
        assert image.width / image.height == pytest.approx(float(view[2]) / float(view[3]), rel=0.01)


def test_another_figure_gives_another_picture(tmp_path):
    one, two = (draw(figure(panel(curve(level=level))), tmp_path / str(level)) for level in (1.0, 50.0))
    assert all(left.read_bytes() != right.read_bytes() for left, right in zip(one, two, strict=True))


def test_the_settings_of_the_user_do_not_change_the_picture(tmp_path):
    plain = draw(figure(panel(curve())), tmp_path / "plain")
    with matplotlib.rc_context({"axes.facecolor": "red", "lines.linewidth": 9}):
        changed = draw(figure(panel(curve())), tmp_path / "changed")
    assert plain[1].read_bytes() == changed[1].read_bytes()


@pytest.mark.parametrize(
    ("scale", "places"), [("linear", [25, 100, 500]), ("log", [25, 100, 500]), ("places", [0, 1, 2])]
)
def test_points_are_means_and_bars_one_deviation(scale, places):
    (axes,), _ = drawn(figure(panel(curve(x=(500.0, 25.0, 100.0)), x_scale=scale)))
    (container,) = axes.containers
    line, _, (bars,) = container
    means = [3.0, 4.0, 2.0]  # x comes in the order 500, 25, 100
    assert line.get_xdata().tolist() == places
    assert line.get_ydata() == pytest.approx(means)
    for segment, mean in zip(bars.get_segments(), means, strict=True):
        assert segment[:, 1] == pytest.approx([mean - math.sqrt(2), mean + math.sqrt(2)])
    assert axes.get_xscale() == ("log" if scale == "log" else "linear")
    if scale != "linear":
        assert [text.get_text() for text in axes.get_xticklabels()] == ["25", "100", "500"]


def test_a_gap_where_nothing_was_run():
    (axes,), _ = drawn(figure(panel(Curve("RBM", X, ((1.0, 2.0), (), (3.0,))))))
    assert np.isnan(axes.containers[0][0].get_ydata().astype(float)).tolist() == [False, True, False]


def test_a_panel_without_curves_says_so():
    nothing = Curve("LSI", X, ((), (), ()))
    axes, legends = drawn(figure(panel(), panel(nothing), panel(nothing, curve("RBM"), curve("LDA"))))
    assert [text.get_text() for one in axes for text in one.texts] == ["not run", "not run"]
    assert [text.get_text() for text in legends[0].get_texts()] == ["RBM", "LDA"]
    assert drawn(figure(panel(curve("RBM"))))[1] == []  # One curve needs no name.


@pytest.mark.parametrize(
    ("panels", "shape"), [(1, (1, 1)), (2, (1, 2)), (3, (1, 3)), (4, (2, 2)), (5, (2, 3)), (7, (3, 3))]
)
def test_at_most_three_panels_in_a_row(panels, shape):
    axes, _ = drawn(figure(*[panel(curve())] * panels))
    assert len(axes) == panels
    assert axes[0].get_gridspec().get_geometry() == shape


def test_the_y_label_is_said_once_per_row():
    axes, _ = drawn(figure(panel(curve()), panel(curve()), Panel("", (curve(),), "K", "recall")))
    assert [one.get_ylabel() for one in axes] == ["precision", "", "recall"]


def test_a_name_looks_the_same_in_every_panel():
    axes, legends = drawn(figure(panel(curve("RBM"), curve("LSI")), panel(curve("LSI"))))
    left, right = axes[0].containers[1][0], axes[1].containers[0][0]
    assert (left.get_color(), left.get_marker()) == (right.get_color(), right.get_marker())
    assert [text.get_text() for text in legends[0].get_texts()] == ["RBM", "LSI"]


def test_letters_have_at_least_8_points_on_a_page(tmp_path):
    sizes, widths = [], []
    original = figures.Figure.savefig

    def savefig(self, *arguments, **settings):
        original(self, *arguments, **settings)
        widths.append(self.get_figwidth())
        sizes.extend(text.get_fontsize() for text in self.findobj(matplotlib.text.Text) if text.get_text())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures.Figure, "savefig", savefig)
        draw(figure(panel(curve()), panel(curve(), x_scale="log"), panel(curve(), y_scale="log")), tmp_path)
    assert min(sizes) >= 8
    assert set(widths) == {6.5}


def test_curves_that_are_the_same_are_all_seen():
    """Those drawn later lie above, and are narrower."""
    names = ("RBM", "MAR-RBM", "MAR-RBM, ours")
    (axes,), _ = drawn(figure(panel(*map(curve, names))))
    lines = [container[0] for container in axes.containers]
    assert sorted(lines, key=lambda line: line.get_zorder()) == lines
    for measure in (lambda line: line.get_linewidth(), lambda line: line.get_markersize()):
        sizes = [measure(line) for line in lines]
        assert sizes == sorted(sizes, reverse=True)
        assert len(set(sizes)) == 3


def test_a_picture_says_what_its_bars_are():
    _, (legend,) = drawn(figure(panel(curve("RBM"), curve("LSI"))))
    assert legend.get_title().get_text() == BARS
    _, (legend,) = drawn(figure(panel(*(Curve(name, (1.0,), ((3.0,),)) for name in ("RBM", "LSI")))))
    assert legend.get_title().get_text() == ""  # One seed has no bars.


def test_curves_differ_without_colour():
    colours, markers, _, lines = zip(*STYLES, strict=True)
    assert len(STYLES) == len(set(markers)) == len(set(lines)) == 8
    greys = sorted(Image.new("RGB", (1, 1), colour).convert("L").getpixel((0, 0)) for colour in colours)
    assert min(np.diff(greys)) >= 12
    assert greys[-1] <= 190  # still seen on white


def test_hostile_text_is_shown_as_it_is(tmp_path):
    text = "_5 $\\frac{$ <b>&\n--> \x00"
    shown = Figure("hostile", text, (Panel(text, (curve(text), curve("other")), text, text),))
    _, svg = draw(shown, tmp_path)
    tree = ElementTree.parse(svg)
    titles = [node.text for node in tree.iter("{http://purl.org/dc/elements/1.1/}title")]
    assert titles == ["_5 $\\frac{$ <b>& -->"]
    assert not [node for node in tree.iter() if node.tag.endswith(("script", "date"))]
    _, legends = drawn(shown)
    assert [node.get_text() for node in legends[0].get_texts()] == [*titles, "other"]


@pytest.mark.parametrize(
    ("x", "text"),
    [(0, "0"), (0.001, "0.001"), (500, "500"), (1e-5, "10⁻⁵"), (2e6, "2·10⁶"), (-1.5, "−1.5"), (123456, "1.23456·10⁵")],
)
def test_numbers_of_ticks(x, text):
    assert _tick(x) == text


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        (Figure("a/b", "", (panel(),)), "'a/b' cannot name a file"),
        (figure(), "'precision' has no panels"),
        (figure(panel(x_scale="cubic")), "'cubic' and 'linear': x takes linear, log or places"),
        (figure(panel(y_scale="places")), "y linear or log"),
        (figure(panel(Curve("RBM", X, ((1.0,),)))), "'RBM' has 3 x, but values at 1"),
        (figure(panel(curve(x=(0.0, 1.0)), x_scale="log")), "'RBM' has an x that is not above 0.*places"),
        (figure(panel(curve(level=-1.0), y_scale="log")), "'RBM' has a value that is not above 0"),
        (figure(panel(*[curve(str(number)) for number in range(9)])), "9 curves of different names.*at most 8"),
    ],
)
def test_what_cannot_be_drawn(shown, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        draw(shown, tmp_path)
    assert not list(tmp_path.iterdir())


def test_loading_the_room_does_not_load_matplotlib():
    code = (
        "import sys, wideangle.experiments.figures, wideangle.experiments.formats; print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_drawing_leaves_pyplot_alone(tmp_path):
    code = (
        "import sys; from pathlib import Path; from wideangle.experiments.figures import draw; "
        "from wideangle.experiments.tables_and_figures import Figure, Panel; "
        f"draw(Figure('f', 't', (Panel('p', (), 'x', 'y'),)), Path({str(tmp_path)!r})); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
