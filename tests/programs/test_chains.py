"""Chains of controllers (algorithm.chain_links) in all programs."""

import json
import re
import shutil
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
import yaml
from harness.configs import set_options, settings, write_config
from harness.maps import CHAINS, chains, train_map
from harness.programs import is_intact, refused, run, same_map
from harness.replay import fitness_of, table
from harness.ros import joint_states, node_of

import mees


def longest():
    """The cell of an elite with three links; there are also elites with one and two."""
    with h5py.File(chains()) as file:
        links = file["map/links"][:]
        assert set(links) == {1, 2, 3}
        return int(file["map/cell"][int(np.argmax(links))])


def test_links_are_stored_once():
    with h5py.File(chains()) as file:
        links, index = file["map/links"][:], file["map/link_index"][:]
        stored = file["map/link_parameters"][:]
        assert links.dtype == np.int32 and index.dtype == np.int32
        assert ((index >= 0).sum(axis=1) == links - 1).all()
        used = np.concatenate([index.ravel(), file["state/emitter/link_index"][:].ravel()])
        assert set(used) - {-1} == set(range(len(stored)))
        assert len(np.unique(stored, axis=0)) == len(stored)
        # Shared: fewer rows than the chains have earlier links.
        assert len(stored) < (links - 1).sum()
    assert is_intact(chains())


def test_plain_maps_have_no_links(tmp_path):
    plain = train_map(tmp_path / "run", settings(CHAINS, run={"generations": 2},
                                                 algorithm={"chain_links": 1}))
    with h5py.File(plain) as file:
        assert not [name for name in file["map"] if "link" in name]


def test_same_bits_on_ranks_and_when_resumed(tmp_path):
    config = write_config(tmp_path, CHAINS)
    for generations, ranks in ((7, 0), (16, 3), (24, 2)):
        result = run("mees_master", config, "--out", tmp_path / "run", "--generations", generations,
                     ranks=ranks)
        assert result.returncode == 0, result.stderr
    same, text = same_map(tmp_path / "run" / "map.h5", chains())
    assert same, text


@pytest.mark.parametrize("changes", [
    ["algorithm.name=memes", "algorithm.emitters=2", "algorithm.emitter_patience=1"],
    ["algorithm.mode=explore", "algorithm.chain_start=elite", "es.optimizer_state=inherit"],
    ["algorithm.mode=exploit", "algorithm.chain_start=initial", "algorithm.confirm_offspring=2"],
    ["algorithm.objectives=[\"fitness\", \"novelty\"]"],
], ids=lambda changes: changes[0])
def test_resumed_in_every_mode(tmp_path, changes):
    config = write_config(tmp_path, settings(CHAINS, run={"generations": 9}))
    options = set_options(*changes)
    assert run("mees_master", config, "--out", tmp_path / "a", *options).returncode == 0
    for generations in (2, 5, 9):
        result = run("mees_master", config, "--out", tmp_path / "b", *options,
                     "--generations", generations)
        assert result.returncode == 0, result.stderr
    with h5py.File(tmp_path / "a" / "map.h5") as file:
        assert file["map/links"][:].max() > 1
    same, text = same_map(tmp_path / "a" / "map.h5", tmp_path / "b" / "map.h5")
    assert same, text
    assert is_intact(tmp_path / "b" / "map.h5")


def test_replay_runs_the_stored_chain():
    """Without noise in the training's evaluation, an elite's replays scatter around its fitness."""
    cell = longest()
    rows = table(run("mees_replay", chains(), "--cell", cell, "--episodes", 40).stdout)
    with h5py.File(chains()) as file:
        row = int(np.searchsorted(file["map/cell"], cell))
        position = file["map/bc"][row]
    found = np.array([[float(rows[str(i)][name]) for name in ("x", "y")] for i in range(40)])
    assert (np.abs(found.mean(axis=0) - position) < 3 * found.std(axis=0) + 0.3).all()


def test_python_runs_the_same_episode(tmp_path):
    pytest.importorskip("mujoco", reason="MuJoCo's Python bindings are not installed")
    cell = longest()
    recorded = tmp_path / "trajectory.h5"
    result = run("mees_replay", chains(), "--cell", cell, "--episodes", 1, "--trajectory", recorded)
    assert result.returncode == 0, result.stderr
    with mees.open_map(chains()) as elites, h5py.File(recorded) as file:
        environment = mees.make(elites, cell)
        assert isinstance(environment.policy, mees.Chain)
        for _ in range(2):  # the second episode begins with the first link again
            observation, _ = environment.reset(seed=elites.seed)
            for action in file["action"][:]:
                assert (environment.policy(observation) == action).all()
                observation, *_, info = environment.step(action)
        assert info["fitness"] == pytest.approx(float(file["reward"][-1]), abs=1e-9)


def test_evaluate_keeps_the_chains(tmp_path):
    for out, ranks in (("a.h5", 0), ("b.h5", 3)):
        result = run("mees_evaluate", chains(), "--episodes", 3, "--out", tmp_path / out,
                     ranks=ranks)
        assert result.returncode == 0, result.stderr
    assert same_map(tmp_path / "a.h5", tmp_path / "b.h5")[0]
    assert is_intact(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["map/links"][:].max() == 3


def test_adapt_tries_chains(tmp_path):
    """The first trial is the best elite. The fitness of each trial, over two episodes with other
    initial states, is within the scatter of replays of the same chain with the same damage, and of
    some clearly outside that of replays without damage."""
    damage = ("--damage", "weak:push_x=0.9")
    result = run("mees_adapt", chains(), *damage, "--trials", 5, "--out", tmp_path / "adapt.h5")
    assert result.returncode == 0, result.stderr
    assert is_intact(tmp_path / "adapt.h5")
    with h5py.File(tmp_path / "adapt.h5") as file, h5py.File(chains()) as elites:
        trials = file["damage/weak:push_x=0.9/seed_0"]
        cells, fitness = trials["cell"][:], trials["fitness"][:]
        assert cells[0] == elites["map/cell"][int(np.argmax(elites["map/fitness"]))]
        links = elites["map/links"][:][np.searchsorted(elites["map/cell"], cells)]
        assert (links > 1).all()
    distances = {}
    for words in (damage, ()):
        episodes = np.array([fitness_of(chains(), cell, 20, *words) for cell in cells])
        error = episodes.std(axis=1, ddof=1) * np.sqrt(1 / 2 + 1 / 20)
        distances[words] = np.abs(fitness - episodes.mean(axis=1)) / error
    assert (distances[damage] < 4).all(), distances
    assert (distances[()] > 4).any(), distances


def test_ask_names_a_file_per_link(tmp_path):
    with h5py.File(chains()) as file:
        best = int(np.argmax(file["map/fitness"]))
        links = int(file["map/links"][best])
    result = run("mees_adapt", chains(), "--ask", "--out", tmp_path / "adapt.h5")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    if links == 1:
        assert "links" not in answer
    else:
        assert answer["onnx"] is None and answer["chain_steps"] == 50
        ends = [f"_link{i + 1}.onnx" for i in range(links)]
        assert [path[-11:] for path in answer["links"]] == ends


def test_inspect_shows_links():
    text = run("mees_inspect", "summary", chains()).stdout
    assert re.search(r"^chains +\d+ of 1 link, \d+ of 2 links, \d+ of 3 links$", text, re.M), text
    listed = run("mees_inspect", "cells", chains(), "--filter", "links=3", "--json").stdout
    rows = json.loads(listed)
    assert rows and all(row["links"] == 3 for row in rows)


def test_export_writes_every_link(tmp_path):
    cell = longest()
    result = run("mees_inspect", "export", chains(), "--cell", cell, "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"cell_{cell:06}.npz", *(f"cell_{cell:06}_link{i}.onnx" for i in (1, 2, 3))]
    with np.load(tmp_path / names[0]) as file, mees.open_map(chains()) as elites:
        chain = elites.policy(cell)
        assert file["links"] == 3 and file["chain_steps"] == chain.steps == 50
        for prefix, link in zip(("link_1_", "link_2_", ""), chain.links):
            for i, (weights, biases) in enumerate(link.weights, 1):
                assert (file[f"{prefix}weights_{i}"] == weights).all()
                assert (file[f"{prefix}biases_{i}"] == biases).all()
            assert (file[f"{prefix}observation_mean"] == link.observation_mean).all()
    result = run("mees_inspect", "export", chains(), "--cell", cell, "--out", tmp_path / "one.onnx")
    assert "one_link1.onnx" in result.stdout and (tmp_path / "one_link3.onnx").exists()


def test_a_refused_export_writes_no_link(tmp_path):
    (tmp_path / "x_link2.onnx").write_text("mine")
    (tmp_path / f"cell_{longest():06}_link3.onnx").write_text("mine")
    before = sorted(tmp_path.iterdir())
    for arguments in (("--out", tmp_path / "x.onnx"), ("--out", tmp_path), ("--deploy", tmp_path),
                      ("--cell", "all", "--out", tmp_path)):
        cell = () if "--cell" in arguments else ("--cell", longest())
        refused(run("mees_inspect", "export", chains(), *cell, *arguments), "mees_inspect", 3,
                "exists")
        assert sorted(tmp_path.iterdir()) == before
        assert all(path.read_text() == "mine" for path in before)


def test_exported_links_act_like_the_chain(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    cell = longest()
    result = run("mees_inspect", "export", chains(), "--cell", cell, "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    observations = np.random.default_rng(1).normal(size=(20, 4))
    with mees.open_map(chains()) as elites:
        for i, link in enumerate(elites.policy(cell).links, 1):
            session = onnxruntime.InferenceSession(tmp_path / f"cell_{cell:06}_link{i}.onnx",
                                                   providers=["CPUExecutionProvider"])
            (given,) = session.run(["action"], {"observation": observations})
            assert np.abs(given - link(observations)).max() <= 1e-6
            notes = session.get_modelmeta().custom_metadata_map
            assert (notes["link"], notes["links"], notes["chain_steps"]) == (str(i), "3", "50")


def test_deployed_chain(tmp_path):
    result = run("mees_inspect", "export", chains(), "--cell", longest(), "--deploy", tmp_path)
    assert result.returncode == 0, result.stderr
    deploy = yaml.safe_load((tmp_path / "deploy.yaml").read_text())
    assert "policy" not in deploy and deploy["chain_steps"] == 50 and len(deploy["links"]) == 3
    assert all((tmp_path / name).exists() for name in deploy["links"])
    pytest.importorskip("onnxruntime")
    import importlib.util
    spec = importlib.util.spec_from_file_location("mees_node", tmp_path / "mees_node.py")
    node = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(node)
    policy = node.Policy(tmp_path)
    with mees.open_map(chains()) as elites:
        chain = elites.policy(longest())
    for _ in range(2):
        policy.reset()
        chain.reset()
        for step in range(160):
            observation = np.sin(np.arange(4) + 0.1 * step)
            assert np.abs(policy.act(observation) - chain(observation)).max() <= 1e-6


def test_the_node_begins_the_chain_again(tmp_path, monkeypatch):
    """The stub network of link i answers i / 10; the service begins an episode within a link."""
    result = run("mees_inspect", "export", chains(), "--cell", longest(), "--deploy", tmp_path)
    assert result.returncode == 0, result.stderr
    deploy = yaml.safe_load((tmp_path / "deploy.yaml").read_text())
    answers = {name: (i + 1) / 10 for i, name in enumerate(deploy["links"])}
    node, _ = node_of(tmp_path, answers, len(deploy["actuators"]), monkeypatch)
    joints = sorted({entry["name"].split(".")[0] for entry in deploy["observations"]})
    ((_, tick),) = node.timers
    tick()  # before the first state: no step of the chain
    assert node.published == [] and node.warnings
    node.subscriptions["joint_states"](joint_states(joints, [0.0] * 2, [0.0] * 2))
    kind, reset = node.services["reset"]
    assert kind == "Trigger"
    for steps in (170, 60, 110):
        node.published.clear()
        for _ in range(steps):
            tick()
        first, scale = deploy["actuators"][0]["offset"], deploy["actuators"][0]["scale"]
        acted = [round(10 * (controls[0] - first) / scale) for controls in node.published]
        assert acted == ([1] * 50 + [2] * 50 + [3] * 70)[:steps]
        response = SimpleNamespace(success=False, message="")
        assert reset(None, response) is response and response.success


@pytest.mark.parametrize("changes, words", [
    (["algorithm.chain_steps=100"], ("2 links act for 200", "at most 99")),
    (["algorithm.chain_steps=0"], ("algorithm.chain_steps",)),
    (["algorithm.chain_links=0"], ("algorithm.chain_links",)),
    (["algorithm.chain_append=1.5"], ("algorithm.chain_append",)),
    (["algorithm.chain_start=best"], ("algorithm.chain_start", "copy")),
], ids=lambda value: str(value[0]))
def test_refusals_write_nothing(tmp_path, changes, words):
    result = run("mees_master", write_config(tmp_path, CHAINS), "--out", tmp_path / "run",
                 *set_options(*changes))
    refused(result, "mees_master", 2, *words)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("algorithm", ["ns-es", "cma-mae"])
def test_algorithms_that_make_no_chains_ignore_the_keys(tmp_path, algorithm):
    """Also a chain that would be too long for an episode; the log names the keys once."""
    result = run("mees_master", write_config(tmp_path, settings(CHAINS, run={"generations": 2})),
                 "--out", tmp_path / "run",
                 *set_options(f"algorithm.name={algorithm}", "algorithm.chain_steps=100"))
    assert result.returncode == 0, result.stderr
    log = (tmp_path / "run" / "mees.log").read_text()
    (line,) = [line for line in log.splitlines() if "keys without effect in this run: " in line]
    for key in ("chain_links", "chain_steps", "chain_append"):
        assert f"algorithm.{key}" in line
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert not [name for name in file["map"] if "link" in name]


def test_warm_start_from_chains(tmp_path):
    def started(out, **algorithm):
        configuration = settings(CHAINS, run={"generations": 2, "start_from": str(chains())},
                                 algorithm=algorithm)
        return run("mees_master", write_config(tmp_path, configuration), "--out", tmp_path / out)

    assert started("run").returncode == 0
    with h5py.File(tmp_path / "run" / "map.h5") as file:
        assert file["map/links"][:].max() == 3
    assert is_intact(tmp_path / "run" / "map.h5")
    refused(started("a", chain_links=2), "mees_master", 3, "chains have up to 3 links of 50")
    refused(started("b", chain_links=1), "mees_master", 3, "run.start_cells")
    refused(started("c", chain_steps=40), "mees_master", 3, "this run's 3 of 40")
    refused(started("d", name="ns-es"), "mees_master", 3, "ns-es does not make chains",
            "run.start_cells")
    assert not any((tmp_path / name).exists() for name in "abcd")


def replaced(file, path, values):
    del file[path]
    file.create_dataset(path, data=values, chunks=values.shape, fletcher32=True)


def changed(path, change):
    def apply(file):
        values = file[path][:]
        change(values)
        replaced(file, path, values)
    return apply


def gap(index):
    row = int(np.argmax((index >= 0).sum(axis=1)))
    index[row, 0] = -1


def beyond(index):
    index[index >= 0] = 10000


def other_predecessor(file):
    """A link that follows two different ones."""
    index = file["map/link_index"][:]
    row = int(np.argmax((index >= 0).sum(axis=1)))
    index[row, 0] = next(i for i in range(100) if i != index[row, 0] and i != index[row, 1])
    replaced(file, "map/link_index", index)


def unused(file):
    for name in ("parameters", "observation_mean", "observation_std"):
        values = file[f"map/link_{name}"][:]
        replaced(file, f"map/link_{name}", np.concatenate([values, values[:1]]))


@pytest.mark.parametrize("change, words", [
    (changed("map/link_index", gap), "has a gap"),
    (changed("map/link_index", beyond), "/map/link_index holds 10000"),
    (changed("map/links", lambda links: links.fill(2)), "/map/links of row"),
    (changed("map/links", lambda links: links.fill(0)), "/map/links holds 0"),
    (changed("map/link_observation_std", lambda std: std.fill(0)), "is not positive"),
    (changed("map/link_parameters", lambda values: values.fill(np.nan)), "not finite"),
    (other_predecessor, "follow"),
    (unused, "belong to no chain"),
    (lambda file: file.__delitem__("map/links"), "/map/links"),
    (lambda file: file.__delitem__("state/emitter/link_index"), "/state/emitter/link_index"),
    (lambda file: replaced(file, "map/link_parameters", file["map/link_parameters"][:, 1:]),
     "does not fit the network"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_inconsistent_links_are_named(tmp_path, change, words):
    copy = tmp_path / "map.h5"
    shutil.copy(chains(), copy)
    with h5py.File(copy, "r+") as file:
        change(file)
    result = run("mees_inspect", "verify", copy)
    assert result.returncode == 3 and words in result.stdout, result
