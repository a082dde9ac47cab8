"""Compresses the records under results/ that have grown: `make pack`.

Commands add records to plain files, NAME.jsonl. What is committed is NAME.jsonl.xz, with all lines that both had; it is
read by the name NAME.jsonl. The command `xz -dc` shows the lines.
"""

from pathlib import Path

from wideangle._json_lines import pack_lines

ROOT = Path(__file__).parents[1]


def main() -> None:
    for path in sorted((ROOT / "results").rglob("*.jsonl")):
        before = path.stat().st_size
        packed = pack_lines(path, check=bool)
        print(f"{packed.relative_to(ROOT)}: {packed.stat().st_size:,} bytes, {before:,} in the plain file")


if __name__ == "__main__":
    main()
