"""Files that most tests read, written once and never changed; and a folder to run studies in."""

import numpy as np
import study_programs
import synthetic
from pytest import fixture

import mees


@fixture(scope="session")
def shelf(tmp_path_factory):
    return tmp_path_factory.mktemp("shelf")


@fixture(scope="session")
def maze_path(shelf):
    return synthetic.write_map(shelf / "maze.h5")


@fixture(scope="session")
def ant_path(shelf):
    return synthetic.write_map(shelf / "ant.h5", domain="ant", elites=120)


@fixture(scope="session")
def maze(maze_path):
    with mees.Map(maze_path) as opened:
        yield opened


@fixture(scope="session")
def ant(ant_path):
    with mees.Map(ant_path) as opened:
        yield opened


@fixture(scope="session")
def seeds(shelf):
    """Histories of two experiments with three seeds each; one run is longer than the others."""
    histories = []
    for mode, level in (("explore", 0.5), ("exploit", 1.0)):
        for seed in (1, 2, 3):
            path = shelf / f"{mode}-{seed}.h5"
            synthetic.write_map(path, mode=mode, seed=seed, level=level, generations=20 + 5 * seed)
            histories.append(mees.open_history(path))
    return histories


@fixture(scope="session")
def adaptations(shelf):
    """Two maps of one experiment and one of another, each with two adaptation seeds."""
    written = [
        synthetic.write_adaptation(shelf / "exploit-1-adapt.h5", "exploit", seed=1),
        synthetic.write_adaptation(shelf / "exploit-2-adapt.h5", "exploit", seed=2),
        synthetic.write_adaptation(shelf / "explore-1-adapt.h5", "explore", seed=1, level=1000),
    ]
    return [mees.Adaptation(path) for path in written]


@fixture(scope="session")
def plane(shelf):
    """Two axes of unequal spans: -10..10 and -5..5."""
    draw = np.random.default_rng(11)
    centroids = draw.uniform((-10, -5), (10, 5), (40, 2))
    path = shelf / "plane.h5"
    with mees.Map(synthetic.write_map(path, centroids=centroids)) as opened:
        yield opened


@fixture(scope="session")
def deep(shelf):
    """Four axes of equal spans."""
    centroids = np.random.default_rng(12).uniform(0, 1, (100, 4))
    path = shelf / "deep.h5"
    with mees.Map(synthetic.write_map(path, "ant", elites=150, centroids=centroids)) as opened:
        yield opened


@fixture
def place(tmp_path, monkeypatch):
    """A working folder with fake programs in bin/ and a study `toy`, without figures."""
    study_programs.build(tmp_path / "bin")
    (tmp_path / "toy.toml").touch()
    study_programs.change(monkeypatch, tmp_path)
    monkeypatch.setattr("mees.study.__main__.draw", lambda *_: [])
    monkeypatch.chdir(tmp_path)
    return tmp_path
