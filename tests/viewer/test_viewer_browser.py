"""The page in a headless Chromium; the tests themselves are apps/viewer/tests/browser.test.ts."""

import os
import subprocess

import golden_data
import pytest
from harness import maps
from harness.configs import settings, write_config
from harness.programs import BIN, ENVIRONMENT, ROOT, run
from test_viewer_server import hostile_copy, program_map
from viewer import CHROMIUM, NODE, SOURCES, build_page, require_node, require_server

require_node()
require_server(maps.maze())
if not CHROMIUM:
    pytest.skip("needs Chromium", allow_module_level=True)

# Large steps: every generation finds new cells. Populations that take minutes to fill the map.
LIVE = settings(
    maps.LARGE_STEPS,
    run={"generations": 100000},
    es={"population": 100},
    checkpoint={"every_seconds": 0, "every_generations": 1},
)

GOOD_ANTS = ROOT / "docs" / "maps" / "ant.h5"


def test_in_browser(tmp_path):
    build_page()
    exported = tmp_path / "page.html"
    assert run("mees_view", maps.ant(), "--export", exported).returncode == 0
    # The page of docs/viewer.md.
    good = tmp_path / "good.html"
    made = run("mees_view", GOOD_ANTS, "--export", good, "--cells", "best:100")
    assert made.returncode == 0, made.stderr
    golden_data.write(tmp_path)
    environment = {
        **ENVIRONMENT,
        "HOME": str(tmp_path),
        "MEES_BIN": str(BIN),
        "MEES_CHROMIUM": CHROMIUM,
        "MEES_MAP": str(maps.ant()),
        "MEES_LIVE_CONFIG": str(write_config(tmp_path, LIVE)),
        "MEES_EXPORT": str(exported),
        "MEES_GOOD_EXPORT": str(good),
        "MEES_HOSTILE": str(hostile_copy(maps.maze(), tmp_path / "evil.h5")),
        "MEES_PROGRAM": str(program_map(tmp_path / "program.h5")),
        "MEES_SCRATCH": str(tmp_path),
        "MEES_VIEWER_DATA": str(tmp_path),
        "PATH": os.environ["PATH"],
    }
    result = subprocess.run(
        [NODE, SOURCES / "run_tests.mjs", "browser"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
