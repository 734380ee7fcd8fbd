import hashlib
import http.server
import io
import json
import lzma
import os
import socket
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from replication.__main__ import main
from replication.data import transfer
from replication.data.fetch import fetch_dataset, forget_unreachable, read_member
from replication.data.fingerprint import table_fingerprint
from replication.data.parse import parse_dataset, read_table, table_bytes
from replication.errors import UserError

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
from toy_dataset import entry

DATA = b"1,x\n2,y\n2,?\n"
WRONG = b"1,x\n2,y\n3,?\n"


def toy(payload=DATA, name="toy+1.data", **file):
    spec = entry(
        {name: (payload, {"rows": 3, **file})},
        ["a", "b"],
        parse={"missing": ["?"]},
        shape={"rows": 3, "columns": 2},
    )
    spec["fingerprint"] = table_fingerprint(parse_dataset(spec, {name: payload}))
    return spec


def mirror(folder, payload=DATA, name="toy+1.data"):
    (folder / "toy").mkdir(parents=True, exist_ok=True)
    (folder / "toy" / name).write_bytes(payload)
    return folder


def bundle(folder, spec, payload=DATA):
    folder.mkdir(exist_ok=True)
    packed = lzma.compress(table_bytes(parse_dataset(spec, {spec["files"][0]["name"]: payload})))
    (folder / "toy.csv.xz").write_bytes(packed)
    digest = hashlib.sha256(packed).hexdigest()
    (folder / "ORIGINS.csv").write_text(
        "dataset,package,version,member,relation,sha256\n"
        f"toy,some-package,1.0,data/toy.tab,identical,{digest}\n"
    )
    return folder


@pytest.fixture
def get(tmp_path):
    def call(spec, **options):
        options = {"official": False, "bundled": tmp_path / "bundled", **options}
        return fetch_dataset("toy", spec, raw=tmp_path / "raw", **options)

    return call


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    root = tmp_path / "www"
    root.mkdir()
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(root))

        def log_message(self, *args):
            asked.append(self.path)

        def do_GET(self):
            if self.path != "/cut.data":
                return super().do_GET()
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write(DATA[:5])
            self.close_connection = True
            return None

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # asked to end, it looks so often whether it shall
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    httpd.root, httpd.asked = root, asked
    httpd.url = f"http://127.0.0.1:{httpd.server_port}"
    yield httpd
    httpd.shutdown()
    httpd.server_close()


def dead_url():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_folder_mirror(get, tmp_path):
    source = get(toy(), mirrors=[str(tmp_path / "none"), str(mirror(tmp_path / "m"))])
    assert (source.status, source.route, source.relation) == ("available", "mirror", "original")
    assert source.table.to_numpy().tolist() == [["1", "x"], ["2", "y"], ["2", "?"]]
    assert source.files[0]["from"] == str(tmp_path / "m" / "toy" / "toy+1.data")
    assert [attempt["outcome"] for attempt in source.attempts] == ["no such folder", "taken"]
    assert (tmp_path / "raw" / "toy" / "files" / "toy+1.data").read_bytes() == DATA


def test_file_address_mirror_with_a_blank_in_its_path(get, tmp_path):
    source = get(toy(), mirrors=[mirror(tmp_path / "my mirror").as_uri()])
    assert source.route == "mirror"


def test_web_mirror_quotes_names(get, server):
    mirror(server.root / "sub folder")
    source = get(toy(), mirrors=[server.url + "/sub%20folder/"])
    assert source.route == "mirror"
    assert server.asked == ["/sub%20folder/toy/toy%2B1.data"]


@pytest.mark.parametrize("address", ["ftp://host/data", "file://host/data", "s3://bucket"])
def test_other_kinds_of_mirrors_are_refused(get, address):
    with pytest.raises(UserError, match=r"a mirror is a folder or .*data\.mirrors"):
        get(toy(), mirrors=[address])


def test_official_address_comes_first(get, server, tmp_path):
    (server.root / "f.data").write_bytes(DATA)
    source = get(
        toy(url=server.url + "/f.data"), official=True, mirrors=[str(mirror(tmp_path / "m", WRONG))]
    )
    assert source.route == "official"
    assert source.files[0]["from"] == server.url + "/f.data"
    assert not [p for p in (tmp_path / "raw" / "toy").iterdir() if p.name.startswith(".download")]


def test_official_can_be_switched_off(get, server, tmp_path):
    (server.root / "f.data").write_bytes(DATA)
    get(toy(url=server.url + "/f.data"), mirrors=[str(mirror(tmp_path / "m"))])
    assert server.asked == []


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_archive_is_next_and_read_once(get, server, kind):
    stream = io.BytesIO()
    other = b"2,x\n2,y\n"
    if kind == "zip":
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("inner/f.data", DATA)
            archive.writestr("g.data", other)
            archive.writestr("../../evil.txt", b"evil")
    else:
        with tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for name, payload in [("inner/f.data", DATA), ("g.data", other)]:
                info = tarfile.TarInfo(name)
                info.size = len(payload)
                archive.addfile(info, io.BytesIO(payload))
    (server.root / "a.zip").write_bytes(stream.getvalue())
    address = server.url + "/a.zip"
    spec = entry(
        {
            "f.data": (
                DATA,
                {
                    "url": server.url + "/gone.data",
                    "archive": {"url": address, "member": "inner/f.data"},
                },
            ),
            "g.data": (other, {"archive": {"url": address, "member": "g.data"}}),
        },
        ["a", "b"],
        parse={"missing": ["?"]},
        shape={"rows": 5, "columns": 3},
    )
    table = parse_dataset(spec, {"f.data": DATA, "g.data": other})
    spec["fingerprint"] = table_fingerprint(table)
    source = get(spec, official=True)
    assert source.route == "archive"
    assert source.attempts[0]["outcome"] == "answered 404"
    assert server.asked.count("/a.zip") == 1
    assert source.table["part"].tolist() == ["f.data"] * 3 + ["g.data"] * 2


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, payload in members.items():
            archive.writestr(name, payload)
    return stream.getvalue()


def test_archive_without_the_member_is_passed_over(get, server, tmp_path):
    (server.root / "a.zip").write_bytes(zipped(other=b"x"))
    spec = toy(archive={"url": server.url + "/a.zip", "member": "f.data"})
    source = get(spec, official=True, mirrors=[str(mirror(tmp_path / "m"))])
    assert source.route == "mirror"
    assert source.attempts[0]["outcome"] == "has no member f.data"


def test_archive_with_a_wrong_member_or_of_another_kind_is_an_error(get, server):
    (server.root / "a.zip").write_bytes(zipped(f=WRONG))
    spec = toy(archive={"url": server.url + "/a.zip", "member": "f"})
    with pytest.raises(
        UserError, match=r"toy\+1\.data: the copy from .*a\.zip is not the expected"
    ):
        get(spec, official=True)
    (server.root / "a.zip").write_bytes(b"<html>log in</html>")
    with pytest.raises(UserError, match=r"a\.zip: not a readable zip or tar archive"):
        get(spec, official=True)


def test_no_more_is_read_from_an_archive_than_expected():
    assert len(read_member(zipped(f=b"0" * 1_000_000), "f", "a.zip", 10)) == 11


@pytest.mark.parametrize("member", ["../f", "/f", "a/../../f", "..\\f", "C:\\f"])
def test_archive_members_outside_are_refused(get, member):
    with pytest.raises(UserError, match="leads out of the archive"):
        get(toy(archive={"url": "http://127.0.0.1:9/a.zip", "member": member}), official=True)


@pytest.mark.parametrize("name", ["../f", "/etc/passwd", "a/b", "..", ".hidden", "a\\b", ""])
def test_names_that_lead_out_of_the_folder_are_refused(get, tmp_path, name):
    with pytest.raises(UserError, match="not a plain file name"):
        get(toy(name=name), mirrors=[str(tmp_path)])
    with pytest.raises(UserError, match="not a plain file name"):
        get({**toy(), "folder": name}, mirrors=[str(tmp_path)])
    with pytest.raises(UserError, match="a data set is named by"):
        fetch_dataset(name or "A", toy(), raw=tmp_path, bundled=tmp_path)


def test_wrong_checksum_is_an_error_on_every_route(get, server, tmp_path):
    good = str(mirror(tmp_path / "good"))
    bad = str(mirror(tmp_path / "bad", WRONG))
    (server.root / "f.data").write_bytes(WRONG)
    expected, found = (hashlib.sha256(payload).hexdigest() for payload in (DATA, WRONG))
    with pytest.raises(UserError) as error:
        get(toy(), mirrors=[bad, good])
    for part in ("toy+1.data", bad, expected, found, "take", "data.mirrors"):
        assert part in str(error.value)
    with pytest.raises(UserError, match=r"f\.data is not the expected.*data\.official: false"):
        get(toy(url=server.url + "/f.data"), official=True, mirrors=[good])
    with pytest.raises(UserError, match="is not the expected"):
        mirror(server.root, WRONG)
        get(toy(), mirrors=[server.url, good])
    assert not (tmp_path / "raw" / "toy" / "files").exists()


def test_truncated_file_in_a_mirror(get, tmp_path):
    with pytest.raises(UserError, match=rf"\(5 bytes\), expected .* \({len(DATA)} bytes\)"):
        get(toy(), mirrors=[str(mirror(tmp_path / "m", DATA[:5]))])


def test_interrupted_transfer_is_passed_over(get, server, tmp_path):
    source = get(
        toy(url=server.url + "/cut.data"), official=True, mirrors=[str(mirror(tmp_path / "m"))]
    )
    assert source.route == "mirror"
    assert "transfer failed" in source.attempts[0]["outcome"] or (
        "no connection" in source.attempts[0]["outcome"]
    )


def test_kept_files_are_checked_and_never_overwritten(get, tmp_path):
    first = get(toy(), mirrors=[str(mirror(tmp_path / "m"))])
    kept = tmp_path / "raw" / "toy" / "files" / "toy+1.data"
    second = get(toy())
    assert (second.route, second.files) == (first.route, first.files)
    kept.write_bytes(WRONG)
    with pytest.raises(
        UserError, match=r"files/toy\+1\.data is not the expected.*Delete this file"
    ):
        get(toy(), mirrors=[str(tmp_path / "m")])
    assert kept.read_bytes() == WRONG


def test_a_failed_route_leaves_kept_files_alone(get, tmp_path):
    payloads = {"a.data": DATA, "b.data": b"9,z\n"}
    spec = entry(
        {name: (payload, {}) for name, payload in payloads.items()},
        ["a", "b"],
        parse={"missing": ["?"]},
        shape={"rows": 4, "columns": 3},
    )
    spec["fingerprint"] = table_fingerprint(parse_dataset(spec, payloads))
    folder = mirror(tmp_path / "m", DATA, "a.data")
    mirror(folder, WRONG, "b.data")
    with pytest.raises(UserError, match=r"b\.data"):
        get(spec, mirrors=[str(folder)])
    assert (tmp_path / "raw" / "toy" / "files" / "a.data").read_bytes() == DATA
    mirror(folder, payloads["b.data"], "b.data")
    assert get(spec, mirrors=[str(folder)]).status == "available"


def test_file_put_there_by_hand(get, tmp_path):
    mirror(tmp_path / "raw").joinpath("toy").rename(tmp_path / "x")
    (tmp_path / "raw" / "toy").mkdir(parents=True)
    (tmp_path / "x").rename(tmp_path / "raw" / "toy" / "files")
    source = get(toy())
    assert (source.status, source.files[0]["from"]) == ("available", "put there by hand")


def test_bundled_copy_is_last(get, tmp_path):
    spec = toy()
    folder = bundle(tmp_path / "bundled", spec)
    source = get(spec, mirrors=[str(mirror(tmp_path / "m"))])
    assert source.route == "mirror"
    (tmp_path / "raw" / "toy" / "files" / "toy+1.data").unlink()
    source = get(spec, mirrors=[])
    assert (source.route, source.relation) == ("bundled", "identical")
    assert source.files[0]["from"] == "some-package 1.0: data/toy.tab"
    packed = folder / "toy.csv.xz"
    packed.write_bytes(packed.read_bytes()[:-1] + b"\0")
    with pytest.raises(UserError, match=r"toy\.csv\.xz: not the expected file.*build\.py"):
        get(spec)
    (folder / "ORIGINS.csv").unlink()
    with pytest.raises(UserError, match=r"not listed in ORIGINS\.csv"):
        get(spec)


def test_bundled_table_must_have_the_fingerprint(get, tmp_path):
    spec = toy()
    bundle(tmp_path / "bundled", spec, b"1,x\n1,y\n2,?\n")
    with pytest.raises(UserError, match=r"from toy\.csv\.xz has the fingerprint"):
        get(spec)


def test_nothing_anywhere_says_what_to_do(get, tmp_path):
    source = get(toy(url=dead_url() + "/f.data"), official=True, mirrors=[str(tmp_path / "none")])
    assert (source.status, source.table, source.route) == ("unavailable", None, "")
    for part in (
        "<mirror>/toy/toy+1.data",
        hashlib.sha256(DATA).hexdigest(),
        "127.0.0.1",
        "data.mirrors",
        "config/config.yaml",
        "make retry",
    ):
        assert part in source.remedy
    assert "no connection to 127.0.0.1" in source.reason
    assert "no such folder" in source.reason


def test_a_dead_host_is_remembered_for_ten_minutes(get, tmp_path, monkeypatch):
    import pooch

    tried = []
    downloader = pooch.HTTPDownloader

    def counting(**options):
        tried.append(options["timeout"])
        return downloader(**options)

    monkeypatch.setattr(pooch, "HTTPDownloader", counting)
    spec = toy(url=dead_url() + "/f.data")
    first = get(spec, official=True, timeout=2)
    again = get(spec, official=True, timeout=2)
    assert tried == [(2.0, transfer.READ_SECONDS)]
    assert again.facts() == first.facts()
    (marker,) = (tmp_path / "raw" / ".unreachable").iterdir()
    assert abs(float(marker.read_text()) - time.time()) < 60
    marker.write_text(repr(time.time() - transfer.UNREACHABLE_SECONDS - 1))
    get(spec, official=True)
    marker.write_text(repr(time.time() + 3600))
    get(spec, official=True)
    marker.write_text("half a num")
    get(spec, official=True)
    assert len(tried) == 4


def test_host_memory_is_written_safely_by_many(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: transfer.remember_host(tmp_path, "a.b:80"), range(200)))
    assert [path.name for path in tmp_path.iterdir()] == ["a.b_80"]
    assert transfer.host_is_down(tmp_path, "a.b:80")
    assert not transfer.host_is_down(tmp_path, "c.d")


def arguments(tmp_path, spec, **policy):
    raw = tmp_path / "raw"
    return [
        "--dataset=toy",
        f"--spec={json.dumps(spec)}",
        f"--policy={json.dumps({'official': False, **policy})}",
        f"--raw={raw}",
        f"--bundled={tmp_path / 'bundled'}",
        f"--table={raw / 'toy' / 'table.csv'}",
        f"--source={raw / 'toy' / 'source.json'}",
    ]


def test_command_writes_table_and_source_the_same_every_time(tmp_path):
    options = arguments(tmp_path, toy(), mirrors=[str(mirror(tmp_path / "m"))])
    home = tmp_path / "raw" / "toy"
    assert main(["download", *options]) == 0
    assert (home / "table.csv").read_bytes() == b"a,b\n1,x\n2,y\n2,?\n"
    record = json.loads((home / "source.json").read_text())
    assert record["rows"] == 3
    assert record["fingerprint"] == toy()["fingerprint"]
    assert main(["download", *options]) == 0
    second = (home / "source.json").read_bytes()
    assert main(["download", *options]) == 0
    assert (home / "source.json").read_bytes() == second
    assert {**json.loads(second), "attempts": []} == {**record, "attempts": []}


def test_command_on_an_unavailable_data_set(tmp_path, capsys):
    home = tmp_path / "raw" / "toy"
    assert main(["download", *arguments(tmp_path, toy())]) == 0
    assert (home / "table.csv").read_bytes() == b"a,b\n"
    assert read_table(home / "table.csv").empty
    assert json.loads((home / "source.json").read_text())["status"] == "unavailable"
    message = capsys.readouterr().err
    assert "DATA SET toy IS NOT AVAILABLE" in message
    assert "make retry" in message
    assert main(["download", *arguments(tmp_path, toy(), strict=True)]) == 1
    (tmp_path / "raw" / ".unreachable").mkdir()
    (tmp_path / "raw" / ".unreachable" / "host").write_text("1")
    assert forget_unreachable(tmp_path / "raw") == ["toy"]
    assert not list((tmp_path / "raw" / ".unreachable").iterdir())


def test_command_reports_errors_in_one_line(tmp_path, capsys):
    options = arguments(tmp_path, toy(), mirrors=[str(mirror(tmp_path / "m", WRONG))])
    assert main(["download", *options]) == 2
    message = capsys.readouterr().err
    assert message.startswith("error: toy+1.data: the copy from")
    assert message.count("\n") == 1
    assert not (tmp_path / "raw" / "toy" / "table.csv").exists()
    assert main(["download", *arguments(tmp_path, toy(), mirror=[])]) == 2
    assert "unknown keys ['mirror']" in capsys.readouterr().err
    assert main(["download", "--spec={", *arguments(tmp_path, toy())[:1], *options[2:]]) == 2
    assert "--spec is not valid JSON" in capsys.readouterr().err


def test_an_error_keeps_the_old_table(tmp_path):
    options = arguments(tmp_path, toy(), mirrors=[str(mirror(tmp_path / "m"))])
    table = tmp_path / "raw" / "toy" / "table.csv"
    main(["download", *options])
    before = table.read_bytes()
    (table.parent / "files" / "toy+1.data").write_bytes(WRONG)
    assert main(["download", *options]) == 2
    assert table.read_bytes() == before


def test_import_is_cheap():
    code = (
        "import sys, replication.data.fetch, replication.data.parse\n"
        "heavy = {'pandas', 'numpy', 'pooch', 'requests'} & set(sys.modules)\n"
        "sys.exit(' '.join(heavy) or 0)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert run.returncode == 0, run.stderr
