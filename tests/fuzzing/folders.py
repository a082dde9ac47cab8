"""Folders as one piece of content, so that what is kept in several files can be fuzzed as one."""

import shutil

from fuzzing.of_archives import packed, unpacked


def folder_packed(folder):
    """All files of a folder, by their names."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return packed([(file.relative_to(folder).as_posix(), file.read_bytes()) for file in files])


def unpack_to(folder, content):
    """Make a folder of what was packed. Whatever was there is deleted."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, held in unpacked(content):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(held)


def mutate_folder(rng, content, mutate_file, swaps=True):
    """One change in one of the files, or a file that is not there, or (`swaps`) that holds what another one does."""
    files = unpacked(content)
    if not files:
        return content
    place = rng.randrange(len(files))
    name, held = files[place]
    step = rng.random()
    if step < 0.92:
        files[place] = (name, mutate_file(rng, name, held))
    elif step < 0.96 or not swaps:
        del files[place]
    else:
        files[place] = (name, rng.choice(files)[1])
    return packed(files)
