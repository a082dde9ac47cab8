"""`wideangle completion`: a script that teaches a shell the commands and their options."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Option:
    """An option of a command."""

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """A command and what may follow it."""

    name: str
    help: str
    options: tuple[Option, ...]
    choices: tuple[str, ...]
    """of its first argument, where they are few"""


def completion_script(parser: argparse.ArgumentParser, shell: Shell) -> str:
    """The script for a shell, made from the parser itself, so that it never lags behind."""
    commands = tuple(_commands(parser))
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _commands(parser: argparse.ArgumentParser) -> Iterator[Command]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                options = [each for each in command._actions if each.option_strings]
                first = next((each for each in command._actions if not each.option_strings and each.choices), None)
                yield Command(
                    name,
                    helps.get(name, ""),
                    tuple(Option(tuple(each.option_strings), each.help or "", _choices(each)) for each in options),
                    () if first is None else _choices(first),
                )


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


def _bash(commands: tuple[Command, ...]) -> str:
    names = " ".join(command.name for command in commands)
    lines = [
        '# wideangle: for bash, put into ~/.bashrc: eval "$(wideangle completion bash)"',
        "_wideangle() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f'    COMPREPLY=($(compgen -W "{names} --help --version" -- "$word")); return',
        "  fi",
        '  case "${COMP_WORDS[1]}:$before" in',
    ]
    for command in commands:
        for option in command.options:
            if option.choices:
                pattern = "|".join(f"{command.name}:{name}" for name in option.names)
                values = " ".join(option.choices)
                lines.append(f'    {pattern}) COMPREPLY=($(compgen -W "{values}" -- "$word")); return;;')
    lines += ["  esac", '  case "${COMP_WORDS[1]}" in']
    for command in commands:
        options = " ".join(name for option in command.options for name in option.names)
        lines.append(f'    {command.name}) words="{" ".join((options, *command.choices))}";;')
    lines += [
        "  esac",
        '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
        # What is no option is a path, and bash itself knows those.
        '  if [[ "$word" != -* ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi',
        "}",
        "complete -o filenames -F _wideangle wideangle",
    ]
    return "\n".join(lines)


def _zsh(commands: tuple[Command, ...]) -> str:
    lines = [
        "#compdef wideangle",
        '# wideangle: for zsh, put into ~/.zshrc after compinit: eval "$(wideangle completion zsh)"',
        "_wideangle() {",
        "  local -a commands",
        "  commands=(",
        *(f"    {_quoted(f'{command.name}:{command.help}')}" for command in commands),
        "  )",
        "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
        "  case ${words[2]} in",
    ]
    for command in commands:
        specs = []
        for option in command.options:
            values = f":value:({' '.join(option.choices)})" if option.choices else ""
            clean = option.help.replace("[", "(").replace("]", ")").replace(":", " ")
            specs += [_quoted(f"{name}[{clean}]{values}") for name in option.names]
        rest = f":value:({' '.join(command.choices)})" if command.choices else ":file:_files"
        joined = " ".join((*specs, _quoted(f"*{rest}")))
        lines.append(f"    {command.name}) shift words; (( CURRENT-- )); _arguments {joined};;")
    lines += ["  esac", "}", "compdef _wideangle wideangle"]
    return "\n".join(lines)


def _fish(commands: tuple[Command, ...]) -> str:
    lines = ["# wideangle: for fish, write into ~/.config/fish/completions/wideangle.fish"]
    for command in commands:
        lines.append(f"complete -c wideangle -n __fish_use_subcommand -f -a {command.name} -d {_quoted(command.help)}")
        seen = f"-n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            flags = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            values = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else ""
            lines.append(f"complete -c wideangle {seen} {flags}{values} -d {_quoted(option.help)}")
        if command.choices:
            lines.append(f"complete -c wideangle {seen} -f -a {_quoted(' '.join(command.choices))}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "’") + "'"
