"""Hostile archives, endless transfers, odd records: one file comes here, or one message."""

import bz2
import gzip
import http.server
import io
import json
import lzma
import os
import stat
import tarfile
import threading
import time
import zipfile

import numpy as np
import pytest
from kit import toy_entry

from replication.data import transfer
from replication.data.fetch import fetch_dataset
from replication.data.parse import parse_dataset, table_fingerprint
from replication.data.transfer import (
    NoConnectionError,
    UnexpectedError,
    UnreachableError,
    of_address,
    of_archive,
    of_folder,
    store,
)
from replication.errors import UserError

GOOD = b"1,x\n2,y\n2,?\n"
NAME = "toy.data"


def member(name=NAME, kind=tarfile.REGTYPE, link="", content=b""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(content)
    return info, content


def tarred(*members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def zipped(*members, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def linked(target):
    """Zip archive with a symbolic link."""
    info = zipfile.ZipInfo(NAME)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zipped((info, target))


def taken(tmp_path, packed):
    """What `store` makes of a member; nothing else may appear."""
    archive, target = tmp_path / "archive", tmp_path / "out" / NAME
    archive.write_bytes(packed)
    try:
        store(of_archive(archive, NAME), target, len(GOOD))
        return target.read_bytes()
    finally:
        target.unlink(missing_ok=True)
        assert sorted(path.name for path in tmp_path.rglob("*")) == ["archive", "out"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_member_of_a_tar_archive(tmp_path, pack):
    rest = [member("other", content=b"x" * 2_000_000), member("./" + NAME, content=GOOD)]
    assert taken(tmp_path, pack(tarred(*rest))) == GOOD


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]
)
def test_a_member_of_a_zip_archive(tmp_path, compression):
    packed = zipped(("other", b"x" * 2_000_000), (NAME, GOOD), compression=compression)
    assert taken(tmp_path, packed) == GOOD


def test_nothing_is_written_outside_through_a_link(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    link = member("toy.data_x", tarfile.SYMTYPE, str(outside))
    packed = tarred(link, member("toy.data_x/evil", content=b"evil"), member(content=GOOD))
    (tmp_path / "here").mkdir()
    assert taken(tmp_path / "here", gzip.compress(packed)) == GOOD
    assert not list(outside.iterdir())


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (tarred(member(kind=tarfile.SYMTYPE, link="/dev/zero")), "is a symbolic link"),
        (tarred(member(kind=tarfile.LNKTYPE, link="/etc/hostname")), "is a hard link"),
        (tarred(member(kind=tarfile.FIFOTYPE)), "is a FIFO"),
        (tarred(member(kind=tarfile.CHRTYPE)), "is a device"),
        (tarred(member(kind=tarfile.BLKTYPE)), "is a device"),
        (tarred(member(kind=tarfile.DIRTYPE), member(NAME + "/" + NAME)), "is a folder"),
        (tarred(member(content=b"bad"), member(content=GOOD)), "has 2 members"),
        (linked("/etc/passwd"), "is a symbolic link"),
        (zipped((NAME + "/", b""), (NAME + "/" + NAME, GOOD)), "is not a file"),
        (zipped((NAME, GOOD + b"x")), "larger than 12 bytes"),
        (gzip.compress(tarred(member(content=GOOD)))[:60], "not a readable zip or tar"),
        (tarred(member(content=GOOD))[:300], "not a readable zip or tar"),
        (b"", "not a readable zip or tar"),
        (b"<html>504 Gateway Time-out</html>", "not a readable zip or tar"),
        (np.random.default_rng(0).bytes(5000), "not a readable zip or tar"),
        (b"\x1f\x8b" + b"x" * 500, "not a readable zip or tar"),
        (zipped((NAME, GOOD))[:-30], "not a readable zip or tar"),
    ],
    ids=lambda one: "" if isinstance(one, bytes) else one,
)
def test_anything_but_one_file_is_refused(tmp_path, packed, said):
    with pytest.raises(UnexpectedError, match=said):
        taken(tmp_path, packed)


@pytest.mark.parametrize(
    "packed", [zipped(("a/toy.data", GOOD)), tarred(member("other"))], ids=["zip", "tar"]
)
def test_an_archive_without_the_member(tmp_path, packed):
    with pytest.raises(UnreachableError, match="has no member"):
        taken(tmp_path, packed)


def test_an_encrypted_member_is_refused(tmp_path):
    packed = bytearray(zipped((NAME, GOOD)))
    packed[6] |= 1
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(UnexpectedError, match="encrypted"):
        taken(tmp_path, bytes(packed))


def test_a_bomb_ends_at_the_declared_bytes(tmp_path):
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(NAME, "w") as file,
    ):
        for _ in range(64):
            file.write(bytes(1 << 20))
    with pytest.raises(UnexpectedError, match="larger than 12 bytes"):
        taken(tmp_path, stream.getvalue())


def test_a_tar_archive_unpacks_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "MOST_UNPACKED", 1_000_000)
    packed = gzip.compress(tarred(member("other", content=bytes(2_000_000)), member(content=GOOD)))
    with pytest.raises(UnexpectedError, match="unpacks to more than 1000000 bytes"):
        taken(tmp_path, packed)


def test_a_header_of_a_tar_archive_has_a_limit(tmp_path):
    packed = tarred(
        member("x", b"x", content=b"11 path=ab\n" + bytes(3_000_000)), member(content=GOOD)
    )
    with pytest.raises(UnexpectedError, match="headers is larger"):
        taken(tmp_path, gzip.compress(packed))


def test_a_file_of_a_folder(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "fifo")
    (tmp_path / "folder" / "zero").symlink_to("/dev/zero")
    for name in ("fifo", "zero", "none"):
        with pytest.raises(UnreachableError, match="not there"):
            store(of_folder(tmp_path / "folder" / name), tmp_path / "out", 9)
    (tmp_path / "folder" / NAME).write_bytes(GOOD)
    with pytest.raises(UnexpectedError, match="Its SHA-256 is"):
        store(of_folder(tmp_path / "folder" / NAME), tmp_path / "out", 99, "0" * 64)
    assert not (tmp_path / "out").exists()


def test_files_have_the_rights_of_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        store([GOOD], tmp_path / "out", 99)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


@pytest.fixture
def drip(monkeypatch):
    """Address that sends a byte at a time, after headers or among them, and never ends."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    over = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_GET(self):
            if self.path == "/redirected":
                self.send_response(302)
                self.send_header("Location", "http://[::bad")
                return self.end_headers()
            start = b"HTTP/1.0 200 OK\r\n"
            self.wfile.write(start if self.path == "/headers" else start + b"\r\n")
            while not over.wait(0.05):
                self.wfile.write(b"x")
            return None

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    over.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["/headers", "/body"])
def test_a_transfer_has_an_end(drip, tmp_path, monkeypatch, path):
    monkeypatch.setattr(transfer, "FIRST_SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(NoConnectionError, match="too slow"):
        store(of_address(drip + path, 5), tmp_path / "out", 10_000_000)
    assert time.monotonic() - started < 30
    assert not list(tmp_path.iterdir())


def test_an_answer_that_leads_nowhere(drip, tmp_path):
    with pytest.raises(UnreachableError, match="transfer failed"):
        store(of_address(drip + "/redirected", 5), tmp_path / "out", 99)


def test_a_large_file_may_take_longer(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "FIRST_SECONDS", 0.3)

    def slow():
        for _ in range(3):
            time.sleep(0.2)
            yield bytes(20_000)

    store(slow(), tmp_path / "out", 99_999)
    assert (tmp_path / "out").stat().st_size == 60_000


@pytest.mark.parametrize(
    "entry", [3, None, {}, {"from": 3, "route": "raw"}, {"from": "x"}, [], "x", {"from": 3}]
)
def test_a_record_of_origins_that_is_none(tmp_path, entry):
    spec = toy_entry({NAME: (GOOD, {"rows": 3})}, ["a", "b"], parse={"missing": ["?"]})
    spec["fingerprint"] = table_fingerprint(parse_dataset(spec, {NAME: GOOD}))
    home = tmp_path / "raw" / "toy"
    (home / "files").mkdir(parents=True)
    (home / "files" / NAME).write_bytes(GOOD)
    options = {"raw": tmp_path / "raw", "bundled": tmp_path, "official": False}
    table, _ = fetch_dataset("toy", spec, **options)
    assert len(table) == 3
    (home / "origins.json").write_text(json.dumps({NAME: entry}))
    with pytest.raises(UserError, match=r"origins\.json: 'toy\.data' must have a text `from`"):
        fetch_dataset("toy", spec, **options)
    (home / "origins.json").unlink()
    (home / "files" / NAME).unlink()
    (home / "files" / NAME).symlink_to("/dev/zero")
    with pytest.raises(UserError, match="not a file"):
        fetch_dataset("toy", spec, **options)
