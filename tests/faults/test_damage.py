"""Damaged checkpoints: named, and the one before is used; or exit 3; or the bits are right all the
same.

MEES_DAMAGES says how many (30 unless told). A thousand more are done to the reader itself, in the
storage module's unit tests.
"""

import os
import random
import shutil

from harness.faults import train
from harness.programs import same_map

DAMAGES = int(os.environ.get("MEES_DAMAGES", "30"))


def damage(path, source):
    """Truncates, or flips bits, or blanks a stretch; says what it did."""
    content = bytearray(path.read_bytes())
    kind = source.choice(["truncate", "flip", "flip", "blank"])
    if kind == "truncate":
        size = source.randrange(len(content))
        path.write_bytes(content[:size])
        return f"truncated to {size}"
    begin = source.randrange(len(content))
    if kind == "blank":
        content[begin:begin + 2000] = bytes(len(content[begin:begin + 2000]))
    else:
        content[begin] ^= 1 << source.randrange(8)
    path.write_bytes(content)
    return f"{kind} at {begin}"


def test_damage(tmp_path, reference):
    config, expected = reference
    code, output = train(config, tmp_path / "begun", "--threads", 2, "--generations", 20)
    assert code == 0, output
    source = random.Random(5)
    counts = {"fell back": 0, "refused": 0, "unharmed": 0}
    for trial in range(DAMAGES):
        out = tmp_path / f"run-{trial}"
        shutil.copytree(tmp_path / "begun", out)
        what = [damage(out / "map.h5", source)]
        if trial % 5 == 4:
            what.append(damage(out / "map.prev.h5", source))
        code, output = train(config, out, "--threads", 2)
        assert code in (0, 3), (what, code, output)
        if code == 3:
            assert "no checkpoint is usable" in output, output
            counts["refused"] += 1
        else:
            same, differences = same_map(expected, out / "map.h5")
            assert same, (what, differences)
            fell_back = "resuming from" in output
            counts["fell back" if fell_back else "unharmed"] += 1
        shutil.rmtree(out)
    print(f"{DAMAGES} damages:", ", ".join(f"{count} {what}" for what, count in counts.items()))
    assert counts["fell back"] > DAMAGES // 2
