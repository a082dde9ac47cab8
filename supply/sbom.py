"""Lists the packages of an environment as CycloneDX, a bill of materials that other tools read: `make sbom`.

The list is of one environment on one machine, so that it is made with each release and not kept in the repository.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main(arguments: list[str] | None = None) -> None:
    """Write the list, validated against the schema, and see that it has what is installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="the interpreter of the environment that is listed")
    parser.add_argument("--output", type=Path, required=True, help="the file that is written")
    parsed = parser.parse_args(arguments)
    parsed.output.parent.mkdir(parents=True, exist_ok=True)
    command = ["environment", parsed.python, "--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible"]
    command += ["--output-format", "JSON", "--validate", "--output-file", str(parsed.output)]
    subprocess.run([sys.executable, "-m", "cyclonedx_py", *command], check=True)
    listed = {part["name"].lower() for part in json.loads(parsed.output.read_text(encoding="utf-8"))["components"]}
    code = "from importlib.metadata import distributions as d\nfor one in d(): print(one.metadata['Name'])"
    found = subprocess.run([parsed.python, "-c", code], check=True, capture_output=True, text=True).stdout
    missing = {name.lower() for name in found.split()} - listed - {"wideangle"}
    if missing:
        raise SystemExit(f"{parsed.output} lacks {sorted(missing)}, which are installed.")
    print(f"{parsed.output}: {len(listed)} packages, valid.")


if __name__ == "__main__":
    main()
