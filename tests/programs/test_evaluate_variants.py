"""mees_evaluate --variants: every elite in sampled changes of the model."""

import json
import re
import shutil
import sys

import h5py
import numpy as np
import pytest
from harness.configs import settings, write_config
from harness.maps import ant, chains, maze
from harness.programs import ROOT, is_intact, refused, run, same_map
from harness.replay import fitness_of

sys.path.insert(0, str(ROOT / "python"))
import mees  # noqa: E402

CHANGES = "friction=0.5..1.5, mass:torso=-0.2..+0.5,strength=0.8..1.2"
OPTIONS = ("--episodes", 2, "--variants", CHANGES, "--variant-episodes", 2)


def evaluate(out, *arguments, count=5, **options):
    result = run("mees_evaluate", ant(), "--out", out, *OPTIONS, "--variant-count", count,
                 *arguments, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    path = tmp_path_factory.mktemp("variants") / "new.h5"
    return path, evaluate(path, "--threads", 2)


def variants_in(path):
    with h5py.File(path) as file:
        group = file["evaluation"]
        rows = {name: values[:] for name, values in group.items()}
        rows["variant"] = [word.decode() for word in rows["variant"]]
        return rows, group.attrs["variants"].decode(), int(group.attrs["variant_episodes"])


def test_variants_are_drawn_from_their_ranges(evaluated):
    rows, text, episodes = variants_in(evaluated[0])
    assert (text, episodes) == (CHANGES.replace(", ", ","), 2)
    assert len(set(rows["variant"])) == 5
    for words in rows["variant"]:
        found = re.fullmatch(r"friction=(\S+),mass:torso=([+-]\S+),strength=(\S+)", words)
        friction, mass, strength = map(float, found.groups())
        assert 0.5 <= friction <= 1.5 and -0.2 <= mass <= 0.5 and 0.8 <= strength <= 1.2


def test_an_elite_in_a_variant_is_a_replay_with_that_damage(evaluated):
    """Episodes v * 2 and v * 2 + 1 of mees_replay with the words of variant v."""
    rows, _, _ = variants_in(evaluated[0])
    for row, variant in ((0, 0), (len(rows["cell"]) - 1, 3)):
        episodes = fitness_of(ant(), rows["stored_cell"][row], 2 * variant + 2, "--damage",
                              rows["variant"][variant])
        assert rows["variant_fitness"][row, variant] == pytest.approx(episodes[-2:].mean(),
                                                                      rel=2e-3)


def test_chains_in_variants(tmp_path):
    """Of each length the elite that the variants change most: again the replays with that
    damage."""
    for out, ranks in (("a.h5", 0), ("b.h5", 3)):
        result = run("mees_evaluate", chains(), "--episodes", 1, "--variants", "mass=0.5..2",
                     "--variant-count", 3, "--variant-episodes", 2, "--out", tmp_path / out,
                     ranks=ranks)
        assert result.returncode == 0, result.stderr
    assert same_map(tmp_path / "a.h5", tmp_path / "b.h5")[0]
    assert is_intact(tmp_path / "a.h5")
    rows, _, _ = variants_in(tmp_path / "a.h5")
    with h5py.File(chains()) as file:
        number = dict(zip(file["map/cell"][:], file["map/links"][:], strict=True))
    links = np.array([number[cell] for cell in rows["stored_cell"]])
    changes = np.ptp(rows["variant_fitness"], axis=1)
    for count in (2, 3):
        row = int(np.argmax(np.where(links == count, changes, -1)))
        assert links[row] == count and changes[row] > 0.05
        for variant, words in enumerate(rows["variant"]):
            episodes = fitness_of(chains(), rows["stored_cell"][row], 2 * variant + 2, "--damage",
                                  words)
            assert rows["variant_fitness"][row, variant] == pytest.approx(episodes[-2:].mean(),
                                                                          abs=2e-3)


def test_columns_are_mean_quantile_and_worst(evaluated):
    rows, _, _ = variants_in(evaluated[0])
    fitness = rows["variant_fitness"]
    assert fitness.shape == (len(rows["cell"]), 5)
    assert np.all(np.ptp(fitness, axis=1) > 0)
    assert rows["variant_mean"] == pytest.approx(fitness.mean(axis=1), rel=1e-12)
    assert rows["robust"] == pytest.approx(np.quantile(fitness, 0.05, axis=1), rel=1e-12)
    assert np.array_equal(rows["variant_worst"], fitness.min(axis=1))


def test_the_map_is_the_corrected_map(evaluated, tmp_path):
    result = run("mees_evaluate", ant(), "--episodes", 2, "--out", tmp_path / "plain.h5")
    assert result.returncode == 0, result.stderr
    with h5py.File(evaluated[0]) as new, h5py.File(tmp_path / "plain.h5") as plain:
        for name in ("cell", "fitness", "bc", "parameters"):
            assert np.array_equal(new["map"][name][:], plain["map"][name][:])
        assert "variant" not in plain["evaluation"]
        assert "variants" not in plain["evaluation"].attrs


@pytest.mark.parametrize("ranks, threads", [(0, 1), (3, 1)])
def test_same_bits_on_any_number_of_ranks_and_threads(tmp_path, evaluated, ranks, threads):
    evaluate(tmp_path / "new.h5", "--threads", threads, ranks=ranks)
    same, text = same_map(evaluated[0], tmp_path / "new.h5")
    assert same, text


def test_more_variants_begin_with_the_same(tmp_path, evaluated):
    evaluate(tmp_path / "more.h5", count=7)
    more, fewer = variants_in(tmp_path / "more.h5")[0], variants_in(evaluated[0])[0]
    assert more["variant"][:5] == fewer["variant"]
    assert np.array_equal(more["variant_fitness"][:, :5], fewer["variant_fitness"])
    evaluate(tmp_path / "seed.h5", "--seed", 99)
    assert not set(variants_in(tmp_path / "seed.h5")[0]["variant"]) & set(fewer["variant"])


def test_cells_are_sorted_by_robustness(evaluated):
    path, text = evaluated
    listed = json.loads(run("mees_inspect", "cells", path, "--sort", "robust", "--json").stdout)
    rows, _, _ = variants_in(path)
    kept = rows["kept"] == 1
    by_cell = dict(zip(rows["cell"][kept], np.flatnonzero(kept), strict=True))
    assert len(listed) == len(by_cell)
    for elite in listed:
        row = by_cell[elite["cell"]]
        assert elite["robust"] == pytest.approx(rows["robust"][row], rel=1e-12)
        assert elite["variant_mean"] == pytest.approx(rows["variant_mean"][row], rel=1e-12)
        assert elite["variant_worst"] == rows["variant_worst"][row]
    robust = [elite["robust"] for elite in listed]
    assert robust == sorted(robust, reverse=True)
    printed = next(line.split() for line in text.splitlines() if line.startswith("  cell "))
    assert int(printed[1]) == listed[0]["cell"]
    assert "5 variants of the model, 2 episodes per elite and variant" in text
    assert max(map(len, text.splitlines()[1:-1])) <= 80


def test_all_tools_read_it(evaluated):
    path, _ = evaluated
    assert run("mees_inspect", "verify", path).returncode == 0
    assert "5 of the model: friction=0.5..1.5" in run("mees_inspect", "summary", path).stdout
    rows, text, _ = variants_in(path)
    with mees.Map(path) as new, mees.Map(ant()) as old:
        assert old.variants is None
        variants = new.variants
        assert (variants.text, variants.episodes) == (text, 2)
        assert list(variants.changes) == rows["variant"]
        for row, cell in enumerate(new.cell):
            source = np.flatnonzero((rows["kept"] == 1) & (rows["cell"] == cell))[0]
            assert np.array_equal(variants.fitness[row], rows["variant_fitness"][source])
            assert variants.robust[row] == pytest.approx(rows["robust"][source], rel=1e-12)
    # Evaluated again without variants, it has none.
    assert run("mees_evaluate", path, "--episodes", 1, "--out", path.with_name("again.h5"),
               "--force").returncode == 0
    with mees.Map(path.with_name("again.h5")) as again:
        assert again.variants is None


def test_rows_that_are_not_those_of_the_map_are_refused(tmp_path, evaluated):
    shutil.copy(evaluated[0], tmp_path / "bad.h5")
    with h5py.File(tmp_path / "bad.h5", "r+") as file:
        file["evaluation/kept"][...] = 0
    with mees.Map(tmp_path / "bad.h5") as bad, pytest.raises(mees.FileError):
        bad.variants  # noqa: B018
    refused(run("mees_inspect", "cells", tmp_path / "bad.h5"), "mees_inspect", 3)


def test_the_format_page_lists_every_name(evaluated):
    page = (ROOT / "docs" / "map-format.md").read_text()
    with h5py.File(evaluated[0]) as new:
        for name in (*new["evaluation"], *new["evaluation"].attrs):
            assert f"`{name}`" in page


def test_ranges_are_cut_to_what_the_model_allows(tmp_path):
    """5 % of the torso's 0.327 kg stay: -0.31 kg is the most, in two digits."""
    result = run("mees_evaluate", ant(), "--episodes", 1, "--out", tmp_path / "new.h5",
                 "--variants", "friction=0.5..1.5,mass:torso=-1..+1", "--variant-count", 20)
    assert result.returncode == 0, result.stderr
    used = "friction=0.5..1.5,mass:torso=-0.31..+1"
    warnings = [line for line in result.stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1 and f'uses the ranges "{used}"' in warnings[0]
    rows, text, _ = variants_in(tmp_path / "new.h5")
    assert text == used
    masses = [float(words.rsplit("=", 1)[1]) for words in rows["variant"]]
    assert -0.31 <= min(masses) < -0.1 and 0.5 < max(masses) <= 1
    assert used in run("mees_inspect", "summary", tmp_path / "new.h5").stdout.replace("\n", "")


def test_a_domain_with_another_model(tmp_path):
    """The puck of point_maze has one body, and no friction to speak of; its mass matters."""
    result = run("mees_evaluate", maze(), "--episodes", 1, "--variants", "mass=0.5..2",
                 "--variant-count", 3, "--out", tmp_path / "new.h5")
    assert result.returncode == 0, result.stderr
    rows, _, _ = variants_in(tmp_path / "new.h5")
    assert np.any(np.ptp(rows["variant_fitness"], axis=1) > 0)


def test_invalid_variants_are_refused(tmp_path):
    def says(code, *words, changes, source=None, options=()):
        result = run("mees_evaluate", source or ant(), "--out", tmp_path / "no.h5", "--variants",
                     changes, *options)
        refused(result, "mees_evaluate", code, *words)
        assert not (tmp_path / "no.h5").exists()

    says(2, "torzo", "torso", changes="mass:torzo=-0.1..+0.1")
    says(2, "weighs 0.327 kg", "such as mass:torso=-0.16", changes="mass:torso=-1..-0.32")
    says(2, "weighs 0.0327 kg", changes="mass=0.1..1,mass:torso=-0.2..-0.1")
    says(2, "J0..J7", changes="strength:J9=0.5..1")
    says(2, "no word has a range", changes="friction=0.5")
    says(2, "a word is missing", changes="")
    says(2, "friction=0.5..1.5", changes="friction=1.5..0.5")
    refused(run("mees_evaluate", ant(), "--variant-count", 3), "mees_evaluate", 2, "--variants")
    refused(run("mees_inspect", "cells", ant(), "--sort", "robust"), "mees_inspect", 2,
            "mees_evaluate --variants")


def test_a_domain_without_a_model_is_refused(tmp_path):
    config = write_config(tmp_path, settings(
        run={"generations": 1}, domain={"name": "sleep", "sleep_seconds": 0.001}))
    result = run("mees_master", config, "--out", tmp_path / "sleep")
    assert result.returncode == 0, result.stderr
    refused(run("mees_evaluate", tmp_path / "sleep", "--variants", "friction=0.5..1.5"),
            "mees_evaluate", 2, "the domain sleep has no model that could be varied")
