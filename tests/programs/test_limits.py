"""Extreme settings: what is accepted gives maps that can be read, and the rest is named."""

import subprocess

import pytest
from harness.configs import set_options, settings, write_config
from harness.programs import ENVIRONMENT, command_line, is_intact, refused, run

TINY = settings(run={"generations": 3}, domain={"episode_steps": 5}, policy={"hidden": [4]},
                noise={"table_size": 1000}, es={"population": 4},
                algorithm={"n_optim_gens": None, "n_eval": 1})


def go(folder, *changes, config=TINY, out="run"):
    return run("mees_master", write_config(folder, config), "--out", folder / out, "--threads", 1,
               *set_options(*changes))


def layers(count):
    return f"policy.hidden={','.join(['4'] * count)}"


@pytest.mark.parametrize("change", [layers(62), "map.qd_offset=1e100", "map.qd_offset=-1e100"])
def test_accepted_settings_give_readable_maps(tmp_path, change):
    for generations in (3, 4):
        result = go(tmp_path, change, "noise.table_size=10000", f"run.generations={generations}")
        assert result.returncode == 0, result.stderr
        assert is_intact(tmp_path / "run" / "map.h5")


@pytest.mark.parametrize("change, words", [
    (layers(63), ["policy.hidden", "at most 62 layers"]),
    ("map.qd_offset=1.7e308", ["map.qd_offset", "1e+100"]),
    ("map.qd_offset=-1.7e308", ["map.qd_offset"]),
])
def test_others_are_refused(tmp_path, change, words):
    refused(go(tmp_path, change), "mees_master", 2, *words)
    assert not (tmp_path / "run").exists()


def test_a_diverged_search_stops(tmp_path):
    changes = ["es.optimizer=sgd", "es.learning_rate=1e6", "es.l2=1e6", "run.generations=60"]
    for _ in range(2):  # a resumed run comes to the same generation
        result = go(tmp_path, *changes)
        refused(result, "mees_master", 1, "the search diverged in generation", "es.learning_rate")
        assert "was not written" not in result.stderr
        assert is_intact(tmp_path / "run" / "map.h5")
        saved = run("mees_inspect", "history", tmp_path / "run" / "map.h5", "--csv").stdout
    generation = int(result.stderr.split("in generation ")[1].split()[0])
    rows = (tmp_path / "run" / "metrics.csv").read_text().splitlines()
    assert rows[-1].startswith(f"{generation - 1},"), (rows[-1], generation)
    assert saved.splitlines()[-1].startswith(f"{generation - 1},"), saved


def test_children_beyond_the_range_of_numbers_do_not_enter_the_map(tmp_path):
    changes = ["algorithm.name=me-ga", "algorithm.children=8", "es.sigma=1e6",
               "algorithm.variation=iso-line", "algorithm.line_sigma=1e6",
               "algorithm.parent_cells=per-child", "run.generations=30"]
    result = go(tmp_path, *changes)
    assert result.returncode == 0, result.stderr
    assert is_intact(tmp_path / "run" / "map.h5")
    last = (tmp_path / "run" / "metrics.csv").read_text().splitlines()
    diverged = dict(zip(last[0].split(","), last[-1].split(",")))["diverged"]
    assert int(diverged) > 0


def with_memory(kilobytes, folder, *changes, threads=1):
    command = command_line("mees_master", [write_config(folder, TINY), "--out", folder / "run",
                                           "--threads", threads, *set_options(*changes)])
    return subprocess.run(["bash", "-c", f'ulimit -v {kilobytes}; exec "$@"', "bash", *command],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("key, changes", [
    ("noise.table_size", ["noise.table_size=1000000000000"]),
    ("es.population", ["es.population=1000000000"]),
    ("algorithm.children", ["algorithm.name=me-ga", "algorithm.children=1000000000"]),
    ("map.cvt_cells", ["map.type=cvt", "map.cvt_cells=10000000", "map.cvt_samples=1000000000"]),
    ("algorithm.emitters", ["algorithm.name=memes", "algorithm.emitters=1000000",
                            "es.population=1000000"]),
])
def test_the_setting_that_needs_too_much_memory_is_named(tmp_path, key, changes):
    result = with_memory(4_000_000, tmp_path, *changes)
    refused(result, "mees_master", 1, "not enough memory for", key)


def test_too_many_threads(tmp_path):
    result = with_memory(4_000_000, tmp_path, threads=4096)
    refused(result, "mees_master", 1, "--threads")


def test_a_time_limit_of_centuries(tmp_path):
    result = run("mees_master", write_config(tmp_path, TINY), "--out", tmp_path / "run",
                 "--time-limit", "107000d")
    assert result.returncode == 0, result.stderr


def test_the_configuration_of_a_run_is_not_replaced(tmp_path):
    config = write_config(tmp_path, TINY, "config.toml")
    text = config.read_text()
    result = run("mees_master", "config.toml", "--out", ".", cwd=tmp_path)
    refused(result, "mees_master", 2, "config.toml was not written by a run")
    assert config.read_text() == text


def test_a_limit_of_file_size_is_an_error(tmp_path):
    """SIGXFSZ used to end the program without a word."""
    command = command_line("mees_master", [write_config(tmp_path, TINY), "--out", tmp_path / "run",
                                           "--threads", 1])
    for blocks, code in ((8, 1), (0, 1)):
        result = subprocess.run(["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash", *command],
                                env=ENVIRONMENT, capture_output=True, text=True, timeout=60,
                                check=False)
        assert result.returncode == code, (blocks, result.returncode, result.stderr)
        assert "File too large" in result.stderr


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("program, arguments", [
    ("mees_adapt", ("a.h5", "--damage", "J0", "--rho")),
    ("mees_adapt", ("a.h5", "--damage", "J0", "--trials")),
    ("mees_bench", ("protocol", "--seconds")),
    ("mees_inspect", ("history", "a.h5", "--qd-offset")),
    ("mees_inspect", ("summary", "a.h5", "--qd-offset")),
    ("mees_navigate", ("a.h5", "--targets", "a.toml", "--discount")),
    ("mees_refine", ("a.h5", "--cells", "all", "--out", "b.h5", "--sigma")),
    ("mees_replay", ("a.h5", "--fps")),
], ids=lambda value: value if isinstance(value, str) else value[-1])
def test_options_are_finite_numbers(program, arguments, value):
    """NaN is neither below nor above a bound."""
    refused(run(program, *arguments, value), program, 2, arguments[-1])
