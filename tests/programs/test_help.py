"""--help of the programs, and the manual pages and bash completion made from it."""

import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest
from harness.programs import BIN, ENVIRONMENT, ROOT, in_terminal, run

PROGRAMS = ["mees_adapt", "mees_bench", "mees_evaluate", "mees_inspect", "mees_master",
            "mees_navigate", "mees_refine", "mees_replay", "mees_view"]
COMMANDS = ["summary", "cells", "heatmap", "history", "export", "verify", "diff", "merge"]
EVERY = [(name,) for name in PROGRAMS] + [("mees_inspect", command) for command in COMMANDS]


def entries(text):
    """Term and description of every entry of a help text."""
    found = []
    for line in text.splitlines():
        wide = re.fullmatch(r"  (\S.*?)\s*", line)
        if wide and len(line) > 34 and line[33] == " " != line[34]:
            found.append([line[:33].strip(), line[34:]])
        elif wide:
            found.append([wide[1], ""])
        elif line.startswith(" " * 34) and found:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def without_words(text):
    """A help text up to the words that --damage and --variants take."""
    return re.split(r"\n\n(?:Damages|Variants of the model) \(", text)[0]


def test_these_are_all_programs():
    assert sorted(path.stem for path in (ROOT / "apps").glob("*.cpp")) == PROGRAMS


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_help_is_complete_and_fits(command):
    result = run(*command, "--help")
    assert result.returncode == 0 and result.stderr == ""
    text = result.stdout
    assert max(map(len, text.splitlines())) <= 100
    assert f"Usage: {' '.join(command)} " in text and "Exit codes: 0 " in text
    listed = entries(without_words(text[:text.index("Exit codes")]))
    assert ["-h,--help", "Print this help and exit"] in listed
    for term, description in listed:
        assert description, f"{term} has no description"
        assert "->" not in term and "TEXT" not in term, f"{term} has no type name"
    again = run(*command, "-h")
    assert again.stdout == text


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_help_fits_a_terminal_of_80_columns(command):
    text = in_terminal([BIN / command[0], *command[1:], "--help"])
    assert max(map(len, text.splitlines())) <= 80
    assert "".join(text.split()) == "".join(run(*command, "--help").stdout.split())


def page_of(name):
    return subprocess.run([ROOT / "cmake" / "man_page.sh", BIN / name], capture_output=True,
                          text=True,
                          check=True, env=ENVIRONMENT).stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_manual_page_has_every_option(name):
    page = page_of(name)
    assert page.startswith(f".TH {name.upper()} 1 ")
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f"\n.SH {heading}\n" in page
    commands = [(name,)] + [(name, command) for command in COMMANDS if name == "mees_inspect"]
    for command in commands:
        for term, _ in entries(without_words(run(*command, "--help").stdout)):
            assert "\n.B " + term.replace("-", "\\-") + "\n" in page
    if shutil.which("groff"):
        formatted = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, text=True,
                                   capture_output=True, check=True)
        assert formatted.stderr == ""


def complete(*words):
    """The completions that bash offers for the last of these words."""
    script = """
        PATH=$1:$PATH; source "$2"; shift 2
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _mees_complete "$1" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    result = subprocess.run(["bash", "-u", "-c", script, "bash", BIN,
                             ROOT / "cmake/completion.bash", *words],
                            cwd=ROOT, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert result.stderr == ""
    return result.stdout.split()


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_bash_completes_every_option(command):
    options = re.findall(r"^  (?:-h,)?(--[a-z-]+)", run(*command, "--help").stdout, re.MULTILINE)
    assert set(complete(*command, "--")) == set(options)


def test_bash_completes_values():
    assert complete("mees_inspect", "") == COMMANDS
    assert complete("mees_inspect", "heat") == ["heatmap"]
    assert complete("mees_master", "--resume", "") == ["auto", "never", "require"]
    assert complete("mees_inspect", "heatmap", "--others", "me") == ["mean"]
    assert complete("mees_bench", "--quick", "prot") == ["protocol"]
    assert complete("mees_master", "configs/quick") == ["configs/quickstart.toml"]
    assert complete("mees_master", "--out", "slu") == ["slurm"]
    assert complete("mees_master", "configs/quickstart.toml", "--set", "es.sig") == [
        "es.sigma=", "es.sigma_decay=", "es.sigma_limit="]
    assert complete("mees_master", "--seed", "") == []


def test_an_interactive_bash_completes_a_command_line():
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"],
                   {**ENVIRONMENT, "PATH": f"{BIN}:{os.environ['PATH']}", "PS1": "> ",
                    "TERM": "dumb"})
    os.write(terminal, f"source {ROOT}/cmake/completion.bash\n".encode())
    os.write(terminal, b"mees_master --show\t--resume re\t")
    text = ""
    end = time.monotonic() + 60
    while "--show-config --resume require " not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
    os.write(terminal, b"\x15exit\n")
    os.waitpid(pid, 0)
    os.close(terminal)
    assert "--show-config --resume require " in text
