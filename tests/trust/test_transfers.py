"""Servers, mirrors and archives that deliver something else, too much, or never end."""

import bz2
import gzip
import http.server
import io
import json
import lzma
import os
import tarfile
import threading
import time
import zipfile

import pytest

from replication.data import archive, transfer
from replication.data.fetch import fetch_dataset
from replication.errors import UserError

DATA = b"".join(b"%d,x\n" % i for i in range(500))
SPEC = {
    "folder": "toy",
    "files": [{"name": "toy.data", "sha256": "0" * 64, "bytes": len(DATA), "rows": 500}],
    "columns": ["a", "b"],
    "fingerprint": "0" * 64,
    "shape": {"rows": 500, "columns": 2},
}


@pytest.fixture
def server(monkeypatch):
    """Server that does what the path says."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    stop = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_GET(self):
            what = self.path.strip("/").split("/")[0]
            self.send_response(200)
            if what == "gzip":
                self.send_header("Content-Encoding", "gzip")
            if what == "broken":
                self.send_header("Content-Encoding", "gzip")
            if what == "length":
                self.send_header("Content-Length", "many")
            self.end_headers()
            try:
                self.body(what)
            except OSError:
                return

        def body(self, what):
            if what == "endless":
                while not stop.is_set():
                    self.wfile.write(b"0" * 65536)
            elif what == "slow":
                while not stop.wait(0.05):
                    self.wfile.write(b"0")
                    self.wfile.flush()
            elif what == "gzip":
                self.wfile.write(gzip.compress(b"0" * 50_000_000, mtime=0))
            else:
                self.wfile.write(b"<html>busy</html>")

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    # asked to end, it looks so often whether it shall
    threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    stop.set()
    httpd.shutdown()
    httpd.server_close()


@pytest.fixture
def get(tmp_path):
    def call(**options):
        options = {"official": False, "bundled": tmp_path / "none", **options}
        return fetch_dataset("toy", SPEC, raw=tmp_path / "raw", **options)

    return call


@pytest.mark.parametrize("what", ["endless", "gzip"])
def test_what_is_too_long_is_given_up(get, server, tmp_path, what):
    with pytest.raises(UserError, match=f"sends more than the {len(DATA)} bytes") as caught:
        get(mirrors=[f"{server}/{what}"])
    assert "toy.data" in str(caught.value)
    assert "`data.mirrors`" in str(caught.value)
    assert not list(tmp_path.rglob("*.data"))


def test_what_never_ends_is_given_up(get, server, monkeypatch):
    monkeypatch.setattr(transfer, "WHOLE_SECONDS", 0.5)
    source = get(mirrors=[f"{server}/slow"], timeout=0.5)
    assert source.status == "unavailable"
    assert "not finished after 1 s" in source.reason


@pytest.mark.parametrize("what", ["length", "broken"])
def test_an_answer_that_is_none_is_passed_over(get, server, what):
    source = get(mirrors=[f"{server}/{what}"])
    assert source.status == "unavailable"
    assert "toy.data" in source.reason


def test_another_file_is_an_error(get, server):
    with pytest.raises(UserError, match=r"toy\.data: the copy from .* is not the expected file"):
        get(mirrors=[f"{server}/page"])


@pytest.mark.parametrize(
    "address",
    ["http://[/x", "http://", "ftp://a.b/c", "https:///x", "file://host/x", "gopher://a", "s3://b"],
)
def test_a_mirror_that_is_no_address(get, address):
    with pytest.raises(UserError, match="a mirror is a folder or a http:, https: or file: address"):
        get(mirrors=[address])


@pytest.mark.parametrize("address", ["http://a..b/x", f"http://{'a' * 70}.b/x", "http://-/x"])
def test_a_host_that_cannot_be(get, address):
    source = get(mirrors=[address], timeout=0.5)
    assert source.status == "unavailable"


def test_a_password_is_shown_and_kept_nowhere(get, server, tmp_path):
    address = server.replace("http://", "http://me:secret@")
    with pytest.raises(UserError) as caught:
        get(mirrors=[f"{address}/page"])
    source = get(mirrors=[f"{address}/length", "http://me:secret@127.0.0.1:9/x"])
    for text in (str(caught.value), json.dumps(source.facts())):
        assert "secret" not in text
        assert "127.0.0.1" in text
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and b"secret" in p.read_bytes()]
    assert transfer.without_password("https://u:p@h/x?y#z") == "https://***@h/x?y#z"
    assert transfer.without_password("https://h/x@y") == "https://h/x@y"
    assert transfer.without_password("../a@b") == "../a@b"


@pytest.mark.parametrize(("size", "said"), [(10**7, "more than"), (5, "5 bytes"), (0, "0 bytes")])
def test_a_copy_of_another_size(get, tmp_path, size, said):
    folder = tmp_path / "m" / "toy"
    folder.mkdir(parents=True)
    (folder / "toy.data").write_bytes(b"0" * size)
    with pytest.raises(UserError, match=f"not the expected file.*{said}"):
        get(mirrors=[str(tmp_path / "m")])


@pytest.mark.parametrize("kind", ["fifo", "folder"])
def test_a_copy_that_is_no_file_is_passed_over(get, tmp_path, kind):
    folder = tmp_path / "m" / "toy"
    folder.mkdir(parents=True)
    (os.mkfifo if kind == "fifo" else os.mkdir)(folder / "toy.data")
    begin = time.monotonic()
    assert "no file" in get(mirrors=[str(tmp_path / "m")]).reason
    assert time.monotonic() - begin < 60  # it would wait for ever


# --- archives -----------------------------------------------------------------------------------


def zipped(method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as bundle:
        bundle.writestr("a.data", os.urandom(64) + DATA)
        bundle.writestr("b.data", DATA)
    return stream.getvalue()


def tarred(mode="w:gz"):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as bundle:
        info = tarfile.TarInfo("a.data")
        info.size = len(DATA)
        bundle.addfile(info, io.BytesIO(DATA))
    return stream.getvalue()


def flipped(content, at):
    content = bytearray(content)
    content[at] ^= 0xFF
    return bytes(content)


def middle_out(content):
    return content[: len(content) // 4] + content[-len(content) // 4 :]


def encrypted(content):
    content = bytearray(content)
    for mark in (b"PK\3\4", b"PK\1\2"):
        at = content.find(mark)
        content[at + (6 if mark == b"PK\3\4" else 8)] |= 1
    return bytes(content)


def method(content, number):
    content = bytearray(content)
    for mark, place in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        content[content.find(mark) + place] = number
    return bytes(content)


ARCHIVES = {
    "empty": b"",
    "text": b"a,b\n1,2\n",
    "page": b"<html>not found</html>",
    "zip-cut": zipped()[:-30],
    "zip-middle-out": middle_out(zipped()),
    "zip-damaged": flipped(zipped(), 60),
    "zip-bz2-damaged": flipped(zipped(zipfile.ZIP_BZIP2), 60),
    "zip-lzma-damaged": flipped(zipped(zipfile.ZIP_LZMA), 60),
    "zip-encrypted": encrypted(zipped()),
    "zip-unknown-method": method(zipped(), 99),
    "tar-cut": tarred()[:-60],
    "tar-damaged": flipped(tarred(), 40),
    "tar-plain-cut": tarred("w")[:700],
    "bz2-cut": bz2.compress(tarred("w"))[:-20],
    "xz-cut": lzma.compress(tarred("w"))[:200],
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_an_archive_that_is_none(kind):
    with pytest.raises(UserError) as caught:
        archive.read_member(ARCHIVES[kind], "a.data", "http://a.b/c.zip", 10**6)
    said = str(caught.value)
    assert said.startswith("http://a.b/c.zip: not a readable zip or tar archive")
    assert "\n" not in said
    assert len(said) < 500


# --- records of the downloads -------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"5", b'{"toy.data": 5}', b'{"toy.data": {"from": 5}}', b"\xff\xfe"],
)
def test_a_record_of_origins_that_is_none(get, tmp_path, content):
    path = tmp_path / "raw/toy/origins.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"origins\.json: .*delete it"):
        get()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b"5"])
def test_a_damaged_record_is_forgotten_by_retry(accepted, tmp_path, capsys, content):
    path = tmp_path / "raw/toy/source.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    accepted("retry", "--raw", tmp_path / "raw")
    assert not path.exists()
    assert "toy" in capsys.readouterr().out


def words(tmp_path, policy, spec=SPEC):
    files = ["--raw", tmp_path, "--bundled", tmp_path, "--table", tmp_path / "t.csv"]
    spec = ["--dataset", "toy", "--spec", json.dumps(spec), "--policy", policy]
    return ["download", *spec, *files, "--source", tmp_path / "s.json"]


@pytest.mark.parametrize(
    ("policy", "word"),
    [
        ('{"timeout": NaN}', "data.timeout: is nan"),
        ('{"timeout": Infinity}', "data.timeout: is inf"),
        ('{"timeout": 1e300}', "data.timeout: is 1e+300"),
        ('{"timeout": 0}', "data.timeout: is 0"),
        ('{"timeout": "5"}', "data.timeout: is '5'"),
        ('{"mirors": []}', "unknown keys ['mirors']"),
        ("[]", "must be a JSON object"),
        ("{", "not valid JSON"),
    ],
)
def test_a_policy_that_cannot_be_meant(tmp_path, refused, policy, word):
    assert word in refused(*words(tmp_path, policy))
    assert not list(tmp_path.glob("[ts].*"))


def test_a_strict_policy_ends_the_command(tmp_path, capsys):
    from replication.__main__ import main

    policy = '{"official": false, "strict": true}'
    assert main([str(word) for word in words(tmp_path, policy)]) == 1
    assert "toy IS NOT AVAILABLE" in capsys.readouterr().err
