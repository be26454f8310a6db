"""What the tests of the viewer share: the page, and running servers."""

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import pytest
from harness.programs import BIN, ROOT, run, start

SOURCES = ROOT / "apps" / "viewer"
PAGE = BIN.parent.parent / "viewer" / "page.html"
NODE = shutil.which("node")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def require_node():
    """Skips the file where the page cannot be built."""
    if not NODE or not (SOURCES / "node_modules").exists():
        pytest.skip(
            "needs node and the packages of apps/viewer: ./mees view --build-only",
            allow_module_level=True,
        )


def require_server(path):
    """Skips the file if mees_view was built without cpp-httplib; `path` is any map."""
    build_page()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = run("mees_view", path, "--no-open", "--port", taken.getsockname()[1])
    if "without cpp-httplib" in result.stderr:
        pytest.skip("mees_view was built without cpp-httplib", allow_module_level=True)


def build_page():
    """The page of these sources, where mees_view finds it."""
    newest = max(
        path.stat().st_mtime for path in [SOURCES / "build.mjs", *(SOURCES / "src").rglob("*.*")]
    )
    if not PAGE.exists() or PAGE.stat().st_mtime < newest:
        subprocess.run([NODE, SOURCES / "build.mjs", PAGE.parent], check=True, capture_output=True)
    return PAGE


class Server:
    """A running mees_view."""

    def __init__(self, process):
        self.process = process
        self.url = process.stdout.readline().strip()
        self.ssh = process.stdout.readline().strip()
        assert self.url, process.stderr.read()
        self.base, self.token = re.fullmatch(
            r"(http://127\.0\.0\.1:\d+)/\?token=(\w+)", self.url
        ).groups()

    def get(self, path, token=True, method="GET", **headers):
        """Status, headers and body of an answer."""
        join = "&" if "?" in path else "?"
        url = self.base + path + (f"{join}token={self.token}" if token is True else "")
        request = urllib.request.Request(url, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()


@contextlib.contextmanager
def serving(*arguments):
    process = start("mees_view", *arguments, "--no-open")
    try:
        yield Server(process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        finally:
            process.kill()
            process.communicate()
