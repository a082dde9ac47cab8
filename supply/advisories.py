"""Asks for known vulnerabilities of the versions that are locked: `make advisories`.

pip-audit says "No known vulnerabilities found" also where it could look up none of the packages, so that its answer
per package is read. The exit code is 1 where a vulnerability is known, and 0 where none is or nobody could be asked;
which of both is printed."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.requirements import Requirement

HERE = Path(__file__).parent
# What is installed together. The tools have an environment of their own, with other versions of some packages.
TOGETHER = ((HERE / "locked.txt", HERE / "torch.txt"), (HERE / "tools.txt",))


def main() -> int:
    """Ask, print what came of it, and return the exit code."""
    answers = []
    for paths in TOGETHER:
        answer = asked(sorted({pin for path in paths for pin in pins_of(path)}))
        if answer is None:
            print("NOT CHECKED: the advisories could not be reached.")
            return 0
        answers += answer
    said, code = judged(answers)
    print(said)
    return code


def pins_of(path: Path) -> list[str]:
    """Names and versions that hold for this Python and platform."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split("--hash")[0].strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    wanted = [one for one in map(Requirement, lines) if one.marker is None or one.marker.evaluate()]
    return [f"{one.name}{one.specifier}" for one in wanted]


def asked(pins: list[str]) -> list[dict[str, object]] | None:
    """What pip-audit says of each package; None where it had nobody to ask."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text("\n".join(pins) + "\n")
        command = ["pip_audit", "--requirement", str(requirements), "--no-deps", "--disable-pip", "--format", "json"]
        done = subprocess.run(
            [sys.executable, "-m", *command, "--progress-spinner", "off"], capture_output=True, text=True
        )
    try:
        return list(json.loads(done.stdout)["dependencies"])
    except ValueError:
        print(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "pip-audit said nothing.")
        return None


def judged(answer: list[dict[str, object]]) -> tuple[str, int]:
    """What is printed, and the exit code.

    >>> judged([{"name": "a", "skip_reason": "not found"}])
    ('NOT CHECKED: the advisories had no answer for any of 1 packages (not found).', 0)
    >>> judged([{"name": "a", "version": "1", "vulns": [{"id": "X-1"}]}, {"name": "b", "version": "2", "vulns": []}])
    ('VULNERABLE: a 1: X-1', 1)
    """
    skipped = [one for one in answer if "skip_reason" in one]
    if len(skipped) == len(answer):
        reason = str(skipped[0]["skip_reason"]) if skipped else "none were asked for"
        return f"NOT CHECKED: the advisories had no answer for any of {len(answer)} packages ({reason}).", 0
    known = []
    for one in answer:
        vulnerabilities = one.get("vulns") or []
        assert isinstance(vulnerabilities, list)
        known += [f"{one['name']} {one['version']}: {each['id']}" for each in vulnerabilities]
    if known:
        return "VULNERABLE: " + "; ".join(known), 1
    left = f"; not checked: {', '.join(str(one['name']) for one in skipped)}" if skipped else ""
    return f"CHECKED: no advisory for {len(answer) - len(skipped)} packages{left}.", 0


if __name__ == "__main__":
    raise SystemExit(main())
