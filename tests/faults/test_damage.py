"""Damaged checkpoints: named, and the one before is used; or exit 3; or the bits are right all the same.

MEES_DAMAGES says how many (30 unless told). A thousand more are done to the reader itself, in the
storage module's unit tests.
"""

import os
import shutil

from faults import draws, launch, same_map

DAMAGES = int(os.environ.get("MEES_DAMAGES", "30"))


def damage(path, random):
    """Truncates, or flips bits, or blanks a stretch; says what it did."""
    content = bytearray(path.read_bytes())
    kind = random.choice(["truncate", "flip", "flip", "blank"])
    if kind == "truncate":
        size = random.randrange(len(content))
        path.write_bytes(content[:size])
        return f"truncated to {size}"
    begin = random.randrange(len(content))
    if kind == "blank":
        content[begin:begin + 2000] = bytes(len(content[begin:begin + 2000]))
    else:
        content[begin] ^= 1 << random.randrange(8)
    path.write_bytes(content)
    return f"{kind} at {begin}"


def go(config, out, *options):
    process = launch(config, out, 1, "--threads", "2", *options)
    output, _ = process.communicate(timeout=120)
    return process.returncode, output


def test_damage(tmp_path, reference):
    config, expected = reference
    code, output = go(config, tmp_path / "begun", "--generations", "20")
    assert code == 0, output
    random = draws(5)
    counts = {"fell back": 0, "refused": 0, "unharmed": 0}
    for trial in range(DAMAGES):
        out = tmp_path / f"run-{trial}"
        shutil.copytree(tmp_path / "begun", out)
        what = [damage(out / "map.h5", random)]
        if trial % 5 == 4:
            what.append(damage(out / "map.prev.h5", random))
        code, output = go(config, out)
        assert code in (0, 3), (what, code, output)
        if code == 3:
            assert "holds no checkpoint that can be used" in output, output
            counts["refused"] += 1
        else:
            same, differences = same_map(expected, out / "map.h5")
            assert same, (what, differences)
            fell_back = "going on from" in output
            counts["fell back" if fell_back else "unharmed"] += 1
        shutil.rmtree(out)
    print(f"{DAMAGES} damages:", ", ".join(f"{count} {what}" for what, count in counts.items()))
    assert counts["fell back"] > DAMAGES // 2
