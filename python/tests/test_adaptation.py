import numpy as np
import pytest
import synthetic

import mees
from mees.adaptation import summarise


def test_results_and_trials_match_the_file(adaptations):
    one = adaptations[0]
    assert len(one) == 24
    assert one.damages == list(synthetic.PAPER_DAMAGES)
    assert (one.label, one.motionless) == ("ME-ES exploit", 1000.0)
    trials = one.trial_log("J0,J1", 1)
    assert set(trials) == {"cell", "predicted", "variance", "fitness"}
    row = int(np.flatnonzero((one.damage == "J0,J1") & (one.seed == 1))[0])
    assert trials["fitness"][-1] == one.post[row]
    with pytest.raises(mees.FileError, match="no trials under /damage/J9"):
        one.trial_log("J9", 0)


def test_error_over_maps(adaptations):
    # Two maps with two adaptation seeds each: the standard error of two means a, b is |a - b| / 2.
    exploit, explore = summarise(adaptations, "post")
    assert (exploit.label, exploit.maps, exploit.error_of) == ("ME-ES exploit", 2, "maps")
    for index, damage in enumerate(synthetic.PAPER_DAMAGES):
        a, b = (each.post[each.damage == damage].mean() for each in adaptations[:2])
        assert exploit.mean[index] == pytest.approx((a + b) / 2)
        assert exploit.error[index] == pytest.approx(abs(a - b) / 2)
    assert (explore.label, explore.error_of) == ("ME-ES explore", "adaptation seeds")
    values = adaptations[2].post[adaptations[2].damage == "J3"]
    assert explore.error[3] == pytest.approx(abs(values[0] - values[1]) / 2)


def test_error_of_a_single_adaptation_is_that_of_its_episodes(tmp_path):
    path = synthetic.write_adaptation(tmp_path / "one.h5", damages=("J0", "J1"), seeds=1)
    one = mees.Adaptation(path)
    (post,) = summarise([one], "post")
    (gain,) = summarise([one], "gain")
    assert post.error_of == "episodes"
    np.testing.assert_allclose(post.error, 40.0)
    np.testing.assert_allclose(gain.error, 50.0)  # hypot(30, 40)
    np.testing.assert_allclose(gain.mean, one.post - one.pre)


def test_a_gain_of_one_controller_over_itself_has_no_error(tmp_path):
    path = synthetic.write_adaptation(tmp_path / "one.h5", damages=("J0", "J1"), seeds=1)
    one = mees.Adaptation(path)
    one.post[0] = one.pre[0]
    (gain,) = summarise([one], "gain")
    np.testing.assert_allclose(gain.mean[0], 0)
    np.testing.assert_allclose(gain.error, [0, 50])


def test_damages_that_only_some_files_contain(tmp_path, adaptations):
    path = synthetic.write_adaptation(tmp_path / "more.h5", "explore", seed=3, damages=("lock:J0",))
    bars = summarise([adaptations[0], mees.Adaptation(path)], "post")
    assert np.isnan(bars[0].mean[-1]) and not np.isnan(bars[1].mean[-1])
    assert np.isnan(bars[1].mean[:-1]).all()


def test_adapt_csv(tmp_path):
    path = tmp_path / "adapt.csv"
    path.write_text(
        "damage,seed,pre,pre_se,post,post_se,trials\n"
        'J0,0,900,20,1500,30,30\n"J0,J1",0,700,20,1400,30,28\n'
    )
    table = mees.open_adaptation(tmp_path)
    assert table.damages == ["J0", "J0,J1"]
    assert list(table.post) == [1500, 1400]
    path.write_text("damage,score\nJ0,1\n")
    with pytest.raises(mees.FileError, match="no column seed, pre"):
        mees.Adaptation(path)


def test_a_folder_without_an_adaptation(tmp_path):
    with pytest.raises(mees.FileError, match="no adapt.h5"):
        mees.open_adaptation(tmp_path)
