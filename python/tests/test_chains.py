"""Maps whose elites are chains of controllers."""

import h5py
import numpy as np
import pytest
import synthetic

import mees

STEPS = 7


@pytest.fixture
def path(tmp_path):
    """Of the elites, every third has one link, two and three; the first link is shared."""
    path = tmp_path / "map.h5"
    synthetic.write_map(path)
    draw = np.random.default_rng(5)
    with h5py.File(path, "r+") as file:
        group = file["map"]
        count, parameters = group["parameters"].shape
        inputs = group["observation_mean"].shape[1]
        links = (1 + np.arange(count) % 3).astype(np.int32)
        index = np.full((count, 2), -1, dtype=np.int32)
        index[links > 1, 0] = 0
        index[links > 2, 1] = 1
        synthetic.put(group, "links", links)
        synthetic.put(group, "link_index", index)
        synthetic.put(group, "link_parameters", draw.normal(size=(2, parameters)).astype("f4"))
        synthetic.put(group, "link_observation_mean", draw.normal(size=(2, inputs)))
        synthetic.put(group, "link_observation_std", draw.uniform(1, 2, size=(2, inputs)))
        text = file.attrs["config"].decode()
        file.attrs["config"] = synthetic.text(
            text.replace("[checkpoint]", f"chain_steps = {STEPS}\n[checkpoint]")
        )
    return path


def link(file, row):
    names = ("parameters", "observation_mean", "observation_std")
    layers = synthetic.SHAPES["point_maze"]["layers"]
    return mees.Policy(layers, *(file[f"map/link_{name}"][row] for name in names))


def test_links_act_one_after_the_other(path):
    observations = np.random.default_rng(1).normal(size=(30, 5))
    with mees.Map(path) as elites, h5py.File(path) as file:
        assert list(elites.links[:4]) == [1, 2, 3, 1]
        assert isinstance(elites.policy(elites.cell[0]), mees.Policy)
        chain = elites.policy(elites.cell[2])
        normaliser = elites.observation_mean[2], elites.observation_std[2]
        last = mees.Policy(elites.layers, elites.parameters[2], *normaliser)
        assert isinstance(chain, mees.Chain) and len(chain.links) == 3 and chain.steps == STEPS
        for _ in range(2):
            chain.reset()
            for step, observation in enumerate(observations):
                acting = [link(file, 0), link(file, 1), last][min(step // STEPS, 2)]
                assert (chain(observation) == acting(observation)).all()
        assert "3 x Policy" in repr(chain)
        assert list(elites.frame()["links"][:3]) == [1, 2, 3]


def test_plain_maps_have_single_links(tmp_path):
    synthetic.write_map(tmp_path / "map.h5")
    with mees.Map(tmp_path / "map.h5") as elites:
        assert (elites.links == 1).all() and len(elites.links) == len(elites)
        assert "links" not in elites.frame()


@pytest.mark.parametrize("method", ["to_ribs", "to_qdax"])
def test_archives_of_single_solutions_are_refused(path, method):
    with mees.Map(path) as elites, pytest.raises(mees.FileError, match="chains of controllers"):
        getattr(elites, method)()


def shorter(group):
    del group["link_index"]
    synthetic.put(group, "link_index", np.zeros((3, 1), dtype=np.int32))


def set_values(name, value):
    def change(group):
        group[name][...] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_values("links", 3),
        set_values("links", 0),
        set_values("link_index", 2),
        shorter,
        lambda group: group.pop("link_index"),
        lambda group: group.pop("link_observation_std"),
    ],
)
def test_inconsistent_links_are_refused(path, change):
    with h5py.File(path, "r+") as file:
        change(file["map"])
    with pytest.raises(mees.FileError):
        mees.Map(path)
