"""Takes the picture of the explorer page for the README and docs/explorer.md: the page that `wideangle demo` writes."""

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from _browser import chromium, lacking, open_file  # noqa: E402

from wideangle.commands._demonstration import run_demo  # noqa: E402

IMAGE = ROOT / "docs" / "images" / "explorer.png"


def main() -> None:
    reason = lacking()
    if reason is not None:
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as folder, chromium(1400, 1000) as browser:
        open_file(browser, run_demo(Path(folder), seeds=1).folder / "explorer.html")
        browser.execute_script("location.hash = '#model=2'")
        time.sleep(1)  # until it is drawn anew
        browser.save_screenshot(str(IMAGE))
    print(f"{IMAGE.relative_to(ROOT)}: {IMAGE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
