"""The server of mees_view: who is answered, and with what."""

import json
import os
import shutil
import signal
import socket
import threading
import time

import h5py
import numpy as np
import pytest
from harness import maps
from harness.configs import SMALL
from harness.programs import BIN, refused, run, start
from viewer import build_page, require_node, require_server, serving

import mees

require_node()
require_server(maps.maze())


@pytest.fixture(scope="module", autouse=True)
def page():
    return build_page()


@pytest.fixture(scope="module")
def server():
    with serving(maps.maze(), maps.ant()) as running:
        yield running


def test_the_first_lines_are_the_url_and_an_ssh_command(server):
    port = server.base.rsplit(":", 1)[1]
    assert len(server.token) == 32
    assert server.ssh.startswith(f"ssh -L {port}:127.0.0.1:{port} ") and "@" in server.ssh


def test_requests_without_the_token_are_refused(server):
    for path in ("/", "/api/runs", "/api/map?run=0", "/api/controller?run=0&row=0", "/api/events"):
        assert server.get(path, token=False)[0] == 403
        assert (
            server.get(path + ("&" if "?" in path else "?") + "token=" + "0" * 32, token=False)[0]
            == 403
        )


def test_the_page_gets_a_cookie_that_replaces_the_token(server):
    status, headers, body = server.get("/")
    cookie = headers["Set-Cookie"]
    assert status == 200 and b"mees-data" in body
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert server.get("/api/runs", token=False, Cookie=cookie.split(";")[0])[0] == 200
    assert server.get("/api/runs", token=False, Cookie="other=1; " + cookie.split(";")[0])[0] == 200
    assert server.get("/api/runs", token=False, Cookie=cookie.split("=")[0] + "=1")[0] == 403


def test_no_foreign_page_can_use_it(server):
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", ""):
        assert server.get("/", Host=host)[0] in (400, 403)
    for host in ("localhost:1234", "127.0.0.1", "[::1]:99"):
        assert server.get("/", Host=host)[0] == 200
    headers = server.get("/api/runs", Origin="http://evil.example")[1]
    assert "Access-Control-Allow-Origin" not in headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_only_these_routes_exist(server):
    for path in (
        "/index.html",
        "/api",
        "/api/map/0",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/file?path=/etc/passwd",
    ):
        assert server.get(path)[0] in (400, 404)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
        assert server.get("/", method=method)[0] == 405
    for query in ("run=2", "run=-1", "run=x", "", "run=99999999999999999999"):
        assert server.get(f"/api/map?{query}")[0] == 404
    assert server.get("/api/map?run=0&version=../../map")[0] == 410
    for row in ("x", ""):
        assert server.get(f"/api/controller?run=0&row={row}")[0] == 400
    for row in ("-1", "100000"):
        assert server.get(f"/api/controller?run=0&row={row}")[0] == 500


def test_it_listens_on_the_loopback_interface_only(server):
    port = int(server.base.rsplit(":", 1)[1])
    with socket.socket() as probe:
        probe.bind(("127.0.0.2", port))  # free, because 0.0.0.0 is not bound
    refused(run("mees_view", maps.maze(), "--port", port, "--no-open"), "mees_view", 2, port)


def test_maps_are_those_of_the_files(server):
    assert [entry["path"] for entry in json.loads(server.get("/api/runs")[2])] == [
        str(maps.maze()),
        str(maps.ant()),
    ]
    for index, path in enumerate((maps.maze(), maps.ant())):
        answer = json.loads(server.get(f"/api/map?run={index}")[2])
        with h5py.File(path) as file:
            elites = file["map"]
            assert answer["cells"]["cell"] == elites["cell"][:].tolist()
            assert answer["cells"]["fitness"] == elites["fitness"][:].tolist()
            assert answer["cells"]["bc"] == elites["bc"][:].ravel().tolist()
            assert answer["cells"]["parent"] == elites["parent_cell"][:].tolist()
            assert answer["history"]["best"] == file["history/best"][:].tolist()
            assert answer["network"]["layers"] == elites.attrs["layers"].tolist()
            assert answer["space"]["upper"] == elites.attrs["upper"].tolist()
            assert answer["run"]["generation"] == file.attrs["generation"]
            assert "<mujoco" in answer["domain"]["model"]
            assert answer["domain"]["description"]["version"] == 1
            row = len(elites["cell"]) - 1
            body = server.get(f"/api/controller?run={index}&row={row}")[2]
            assert body == b"".join(
                elites[name][row].tobytes()
                for name in ("observation_mean", "observation_std", "parameters")
            )


def test_a_hundred_clients_at_once(server):
    expected = server.get("/api/map?run=1")[2]
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(server.get("/api/map?run=1")[2]))
        for _ in range(100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == [expected] * 100


def replace_map(folder, content):
    (folder / "next").write_bytes(content)
    os.replace(folder / "next", folder / "map.h5")


def test_a_map_that_is_replaced_is_announced_and_the_old_one_can_still_be_read(tmp_path):
    shutil.copy(maps.maze(), tmp_path / "map.h5")
    with serving(tmp_path) as server:
        first = json.loads(server.get("/api/map?run=0")[2])
        port = int(server.base.rsplit(":", 1)[1])
        waited = []
        with socket.create_connection(("127.0.0.1", port), timeout=60) as stream:
            stream.sendall(
                f"GET /api/events?token={server.token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            )
            heard = b""
            while b'["1"]' not in heard:
                heard += stream.recv(4096)
            for version in (2, 3, 4):
                replace_map(tmp_path, (maps.maze() if version == 3 else maps.ant()).read_bytes())
                begin = time.monotonic()
                while f'["{version}"]'.encode() not in heard:
                    heard += stream.recv(4096)
                waited.append(time.monotonic() - begin)
                current = json.loads(server.get("/api/map?run=0")[2])
                old = server.get("/api/controller?run=0&version=1&row=0")
                if version == 2:
                    assert (first["run"]["domain"], current["run"]["domain"]) == (
                        "point_maze",
                        "ant",
                    )
                    with h5py.File(maps.maze()) as file:
                        means, parameters = file["map/observation_mean"], file["map/parameters"]
                        assert len(old[2]) == 16 * means.shape[1] + 4 * parameters.shape[1]
        assert min(waited) < 1  # a busy machine may delay some
        assert old[0] == 410  # the last three versions are open
        # A file that is not a map leaves the last good one in place.
        replace_map(tmp_path, b"not a map")
        time.sleep(0.6)
        assert json.loads(server.get("/api/map?run=0")[2])["version"] == "4"


def test_it_ends_by_a_signal_with_open_streams():
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start("mees_view", maps.maze(), "--no-open")
        url = process.stdout.readline()
        port, token = int(url.split(":")[2].split("/")[0]), url.strip().split("=")[1]
        with socket.create_connection(("127.0.0.1", port)) as stream:
            stream.sendall(
                f"GET /api/events?token={token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            )
            stream.recv(100)
            process.send_signal(number)
            assert process.wait(8) == 0
        process.communicate()


def hostile_copy(path, out):
    """A valid map whose strings are markup and scripts, as someone could send it."""
    shutil.copy(path, out)
    with h5py.File(out, "r+") as file:
        evil = "</script><script>document.body.dataset.evil=1</script><img src=x onerror=alert(1)>"
        file.attrs["algorithm"] = np.bytes_(evil)
        names = [np.bytes_(evil)] * len(file["map"].attrs["bc_names"])
        del file["map"].attrs["bc_names"]
        file["map"].attrs["bc_names"] = np.array(names)
    return out


def program_map(out):
    """A map as an environment in another process leaves it, with a command that does not exist."""
    shutil.copy(maps.maze(), out)
    with h5py.File(out, "r+") as file:
        del file["domain"]
        config = '[domain]\nname = "process"\ncommand = ["my-simulator", "--robot", "7"]\n'
        for name, text in (("domain", "process"), ("config", config)):
            file.attrs.create(name, text.encode(), dtype=f"S{len(text)}")
    return out


def test_a_program_is_named_and_not_started(tmp_path):
    with serving(program_map(tmp_path / "map.h5")) as server:
        answer = json.loads(server.get("/api/map?run=0")[2])
    assert answer["domain"] is None
    assert answer["program"] == {"command": ["my-simulator", "--robot", "7"]}
    out = tmp_path / "page.html"
    assert run("mees_view", tmp_path / "map.h5", "--export", out).returncode == 0
    assert embedded(out)["map"]["program"] == answer["program"]


def test_strings_of_a_map_are_never_markup(tmp_path):
    path = hostile_copy(maps.maze(), tmp_path / "evil.h5")
    with serving(path) as server:
        status, _, body = server.get("/api/map?run=0")
        assert status == 200 and b"<" not in body
        assert "onerror" in json.loads(body)["run"]["algorithm"]
    result = run("mees_view", path, "--export", tmp_path / "evil.html")
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "evil.html").read_text()
    assert page.count("onerror") == build_page().read_text().count("onerror") + 3
    assert "<img" not in page and "</script><script>document" not in page


def test_files_that_are_not_maps_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    refused(run("mees_view", tmp_path / "empty"), "mees_view", 3, "no map in")
    (tmp_path / "text.h5").write_text("hello")
    refused(run("mees_view", tmp_path / "text.h5"), "mees_view", 3, "text.h5")
    refused(run("mees_view", tmp_path / "absent.h5"), "mees_view", 3, "absent.h5")
    refused(run("mees_view"), "mees_view", 2)
    refused(run("mees_view", maps.maze(), "--cells", "all"), "mees_view", 2, "--export")


def test_a_description_that_is_not_toml_is_an_error_of_that_map_only(tmp_path):
    shutil.copy(maps.maze(), tmp_path / "bad.h5")
    with h5py.File(tmp_path / "bad.h5", "r+") as file:
        del file["domain/description"]
        file["domain"].create_dataset("description", data=np.array([b"= not toml ["]))
    with serving(tmp_path / "bad.h5", maps.maze()) as server:
        assert server.get("/api/map?run=0")[0] == 500
        assert server.get("/api/map?run=1")[0] == 200


def test_a_map_without_robot_gets_that_of_a_built_in_domain(tmp_path):
    shutil.copy(maps.ant(), tmp_path / "old.h5")
    with h5py.File(tmp_path / "old.h5", "r+") as file:
        del file["domain"]
    with serving(tmp_path / "old.h5", maps.ant()) as server:
        old, new = (json.loads(server.get(f"/api/map?run={run}")[2]) for run in (0, 1))
        assert old["domain"] == new["domain"]


def embedded(page):
    text = page.read_text().split('<script id="mees-data" type="application/json">')[1]
    return json.loads(text.split("</script>")[0])


def test_an_exported_page_contains_the_map_and_the_chosen_controllers(tmp_path):
    with h5py.File(maps.maze()) as file:
        fitness, cells = file["map/fitness"][:], file["map/cell"][:].tolist()
    best = sorted(np.argsort(-fitness, kind="stable")[:2].tolist())
    for choice, rows in (
        ("best:2", best),
        ("all", list(range(len(cells)))),
        (f"{cells[1]},{cells[0]},{cells[1]}", [0, 1]),
    ):
        out = tmp_path / f"{len(rows)}-{choice[:3]}.html"
        result = run("mees_view", maps.maze(), "--export", out, "--cells", choice)
        assert result.returncode == 0, result.stderr
        data = embedded(out)
        assert sorted(map(int, data["controllers"])) == rows
        assert data["map"]["cells"]["cell"] == cells
    assert out.stat().st_size < 4e6
    refused(run("mees_view", maps.maze(), "--export", out), "mees_view", 3, out.name)
    empty = next(cell for cell in range(100) if cell not in cells)
    refused(
        run("mees_view", maps.maze(), "--export", tmp_path / "x.html", "--cells", empty),
        "mees_view",
        3,
        "empty",
    )
    for wrong in ("best", "best:0", "best:x", "some", "best:2,"):
        refused(
            run("mees_view", maps.maze(), "--export", tmp_path / "x.html", "--cells", wrong),
            "mees_view",
            2,
            "--cells",
        )
    refused(
        run("mees_view", maps.maze(), maps.ant(), "--export", tmp_path / "x.html"),
        "mees_view",
        2,
        "one map",
    )
    assert not (tmp_path / "x.html").exists()


def test_a_notebook_shows_the_exported_page():
    page = mees.show(maps.maze(), cells="best:1", program=BIN / "mees_view")
    assert len(page.text) > 1e6 and page._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(mees.ArgumentError, match="invalid --cells some"):
        mees.show(maps.maze(), cells="some", program=BIN / "mees_view")


def test_kept_checkpoints_can_be_shown(tmp_path):
    configuration = {**SMALL, "checkpoint": {"every_generations": 2, "keep": 2, "every_seconds": 0}}
    maps.train_map(tmp_path / "run", configuration)
    kept = sorted(path.stem for path in (tmp_path / "run" / "checkpoints").glob("*.h5"))
    with serving(tmp_path / "run") as server:
        assert json.loads(server.get("/api/map?run=0")[2])["checkpoints"] == kept and kept
        old = json.loads(server.get(f"/api/map?run=0&version={kept[0]}")[2])
        assert old["run"]["generation"] == int(kept[0].split("_")[1])
        assert server.get(f"/api/controller?run=0&version={kept[0]}&row=0")[0] == 200
