"""mees.show with a program in place of mees_view; tests/viewer tests the real one."""

import stat
import sys

import pytest

import mees


@pytest.fixture
def program(tmp_path):
    """Writes its arguments into the page, or fails as mees_view does."""
    path = tmp_path / "mees_view"
    path.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys\n"
        "if 'bad' in sys.argv[-1]:\n"
        "    print('mees_view: error: invalid --cells bad (no). Use all.', file=sys.stderr)\n"
        "    sys.exit(2)\n"
        "out = pathlib.Path(sys.argv[sys.argv.index('--export') + 1])\n"
        "out.write_text('<p title=\"' + ' '.join(sys.argv[1:2] + sys.argv[4:]) + '\">')\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_page_is_a_frame_with_escaped_content(program, tmp_path):
    page = mees.show("runs/ant-1", cells=[3, 5], height=500, program=program)
    assert page.text == '<p title="runs/ant-1 --cells 3,5">'
    shown = page._repr_html_()
    assert 'srcdoc="&lt;p title=&quot;runs/ant-1' in shown and "height: 500px" in shown
    assert "allow-same-origin" not in shown  # a map from someone else cannot use the notebook
    assert page.save(tmp_path / "a.html").read_text() == page.text


def test_errors_are_those_of_the_program(program):
    with pytest.raises(mees.ArgumentError, match="invalid --cells bad"):
        mees.show("map.h5", cells="bad", program=program)
    with pytest.raises(mees.ArgumentError, match="cannot show 3"):
        mees.show(3, program=program)
    with pytest.raises(FileNotFoundError):
        mees.show("map.h5", program="/nonexistent/mees_view")
