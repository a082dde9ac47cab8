"""Takes the picture of the explorer page for the README and docs/explorer.md: the page that `wideangle demo` writes."""

import io
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from _browser import chromium, lacking, open_file  # noqa: E402

from wideangle.commands.work.demo.demonstration import run_demo  # noqa: E402

IMAGE = ROOT / "docs" / "images" / "explorer.png"


def main() -> None:
    reason = lacking()
    if reason is not None:
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as folder, chromium(1400, 1000) as browser:
        open_file(browser, run_demo(Path(folder), seeds=1).folder / "explorer.html")
        time.sleep(1)  # until the names have their places
        picture = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    small = picture.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE)  # rare colours are kept
    small.save(IMAGE, optimize=True)
    print(f"{IMAGE.relative_to(ROOT)}: {IMAGE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
