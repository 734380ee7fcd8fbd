"""Routes to the files of a data set: order, checks, errors, and the records they leave."""

import hashlib
import http.server
import io
import json
import lzma
import os
import socket
import tarfile
import threading
import time
import zipfile
from unittest.mock import Mock
from urllib.parse import quote

import pytest
import requests
from kit import toy_entry

from replication.__main__ import main
from replication.data import fetch, hosts, transfer
from replication.data.fetch import fetch_dataset
from replication.data.parse import parse_dataset, table_bytes, table_fingerprint
from replication.errors import UserError

DATA = b"1,x\n2,y\n2,?\n"
WRONG = b"1,x\n2,y\n3,?\n"
OTHER = b"2,x\n2,y\n"
SHA256, SHA256_OF_WRONG = (hashlib.sha256(content).hexdigest() for content in (DATA, WRONG))


def toy(contents=None, **file):
    """Entry of a data set with one file, or with the given ones; `file` goes to each."""
    contents = contents or {"toy+1.data": DATA}
    rows = {name: content.count(b"\n") for name, content in contents.items()}
    spec = toy_entry(
        {name: (content, {"rows": rows[name], **file}) for name, content in contents.items()},
        ["a", "b"],
        parse={"missing": ["?"]},
    )
    spec["fingerprint"] = table_fingerprint(parse_dataset(spec, contents))
    return spec


def mirror(folder, content=DATA, name="toy+1.data"):
    (folder / "toy").mkdir(parents=True, exist_ok=True)
    (folder / "toy" / name).write_bytes(content)
    return str(folder)


def bundle(folder, spec, content=DATA, relation="identical"):
    folder.mkdir(exist_ok=True)
    packed = lzma.compress(table_bytes(parse_dataset(spec, {"toy+1.data": content})))
    (folder / "toy.csv.xz").write_bytes(packed)
    (folder / "ORIGINS.csv").write_text(
        "dataset,package,version,member,relation,sha256\n"
        f"toy,some-package,1.0,data/toy.tab,{relation},{hashlib.sha256(packed).hexdigest()}\n"
    )
    return folder


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(**members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def kept(tmp_path, name="toy+1.data"):
    return tmp_path / "raw" / "toy" / "files" / name


def outcomes(facts):
    return [attempt["outcome"] for attempt in facts["attempts"]]


@pytest.fixture
def get(tmp_path):
    """Fetch the toy data set and return its facts."""

    def call(spec, **options):
        options = {"official": False, "bundled": tmp_path / "bundled", **options}
        table, facts = fetch_dataset("toy", spec, raw=tmp_path / "raw", **options)
        assert (table is None) == (facts["status"] == "unavailable")
        assert not list((tmp_path / "raw").rglob("tmp*"))
        return facts

    return call


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Server of a folder, which ends `/cut` early."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    root = tmp_path / "www"
    root.mkdir()
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(root))

        def log_message(self, *args):
            asked.append(self.path)

        def do_HEAD(self):
            self.send_response_only(404)  # an answer, and not asked for a file
            self.end_headers()

        def do_GET(self):
            if self.path != "/cut":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write(DATA[:5])
            self.close_connection = True
            return None

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    httpd.root, httpd.asked = root, asked
    httpd.url = f"http://127.0.0.1:{httpd.server_port}"
    yield httpd
    httpd.shutdown()
    httpd.server_close()


@pytest.fixture
def dead():
    """Address of a port that does not answer."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_a_folder_as_mirror(get, tmp_path):
    (tmp_path / "empty").mkdir()
    mirror(tmp_path / "folder", name="other")
    (tmp_path / "folder" / "toy" / "toy+1.data").mkdir()
    places = [str(tmp_path / "none"), str(tmp_path / "empty"), str(tmp_path / "folder")]
    facts = get(toy(), mirrors=[*places, mirror(tmp_path / "my mirror")])
    found = [facts[key] for key in ("status", "route", "relation", "rows")]
    assert found == ["available", "mirror", "original", 3]
    place = str(tmp_path / "my mirror" / "toy" / "toy+1.data")
    record = {"name": "toy+1.data", "sha256": SHA256, "from": place, "route": "mirror"}
    assert facts["files"] == [record]
    assert outcomes(facts) == ["no such folder", "not there", "not there", "taken"]
    assert kept(tmp_path).read_bytes() == DATA


def test_an_address_as_mirror_quotes_names(get, server):
    mirror(server.root / "sub folder")
    assert get(toy(), mirrors=[server.url + "/sub%20folder/"])["route"] == "mirror"
    assert server.asked == ["/sub%20folder/toy/toy%2B1.data"]


def test_the_official_address_comes_first_and_can_be_switched_off(get, server, tmp_path):
    (server.root / "f.data").write_bytes(DATA)
    spec = toy(url=server.url + "/f.data")
    facts = get(spec, official=True, mirrors=[mirror(tmp_path / "m", WRONG)])
    assert (facts["route"], facts["files"][0]["from"]) == ("official", server.url + "/f.data")
    kept(tmp_path).unlink()
    server.asked.clear()
    assert get(spec)["status"] == "unavailable"
    assert server.asked == []


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_the_archive_comes_next_and_is_downloaded_once(get, server, tmp_path, pack):
    members = {"f.data": DATA, "g.data": OTHER, "../../evil.txt": b"evil"}
    (server.root / "a.zip").write_bytes(pack(**members))
    urls = {"url": server.url + "/gone", "archive": server.url + "/a.zip"}
    spec = toy({"f.data": DATA, "g.data": OTHER}, **urls)
    facts = get(spec, official=True)
    assert facts["route"] == "archive"
    assert outcomes(facts) == ["answered 404", "taken"] * 2
    assert server.asked.count("/a.zip") == 1
    assert kept(tmp_path, "g.data").read_bytes() == OTHER
    assert not list(tmp_path.rglob("evil.txt"))


def test_an_interrupted_transfer_and_an_archive_without_the_member_are_passed_over(get, server):
    (server.root / "a.zip").write_bytes(zipped(other=b"x"))
    facts = get(toy(url=server.url + "/cut", archive=server.url + "/a.zip"), official=True)
    passed = ["transfer failed (ChunkedEncodingError)", "has no member toy+1.data"]
    passed.append("no bundled copy")
    assert outcomes(facts) == passed


def test_the_bundled_copy_comes_last(get, tmp_path):
    spec = toy()
    folder = bundle(tmp_path / "bundled", spec)
    assert get(spec, mirrors=[mirror(tmp_path / "m")])["route"] == "mirror"
    kept(tmp_path).unlink()
    facts = get(spec)
    assert (facts["route"], facts["relation"]) == ("bundled", "identical")
    assert facts["files"][0]["from"] == "some-package 1.0: data/toy.tab"
    packed = folder / "toy.csv.xz"
    packed.write_bytes(packed.read_bytes()[:-1] + b"\0")
    with pytest.raises(UserError, match=r"toy\.csv\.xz: not the expected file.*build\.py"):
        get(spec)
    (folder / "ORIGINS.csv").write_text("dataset\n")
    with pytest.raises(UserError, match=r"not listed in ORIGINS\.csv"):
        get(spec)


def test_a_bundled_table_must_have_the_fingerprint(get, tmp_path):
    bundle(tmp_path / "bundled", toy(), b"1,x\n1,y\n2,?\n")
    with pytest.raises(UserError, match=r"from toy\.csv\.xz has .* and the fingerprint"):
        get(toy())


def test_without_any_route_the_facts_say_what_to_do(get, dead, tmp_path):
    facts = get(toy(url=dead + "/f.data"), official=True, mirrors=[str(tmp_path / "none")])
    assert (facts["route"], facts["files"], facts["rows"]) == ("", [], 0)
    for part in ("<mirror>/toy/toy+1.data", SHA256, dead[7:], "data.mirrors", "make retry"):
        assert part in facts["remedy"]
    for part in ("no connection to 127.0.0.1", "no such folder", "no bundled copy"):
        assert part in facts["reason"]


def test_a_dead_host_is_left_alone_for_ten_minutes(get, dead, tmp_path, monkeypatch):
    asked = Mock(wraps=requests.head)
    monkeypatch.setattr(requests, "head", asked)
    spec = toy(url=dead + "/f.data")
    first = get(spec, official=True, timeout=2)
    assert get(spec, official=True, timeout=2) == first
    assert [call.kwargs["timeout"] for call in asked.mock_calls] == [2]
    marker = tmp_path / "raw" / ".hosts" / quote(transfer.host_of(dead), safe="")
    before = time.time() - hosts.REMEMBERED_SECONDS - 1
    os.utime(marker, (before, before))
    get(spec, official=True)
    assert asked.call_count == 2
    os.utime(marker, (4e9, 4e9))
    get(spec, official=True)
    assert asked.call_count == 3


def test_a_host_that_falls_silent_is_left_alone_too(get, server, monkeypatch):
    download = Mock(side_effect=requests.ConnectionError)
    monkeypatch.setattr(requests, "get", download)
    spec = toy({"f.data": DATA}, url=server.url + "/f.data", archive=server.url + "/a.zip")
    said = f"no connection to {transfer.host_of(server.url)}"
    assert outcomes(get(spec, official=True)) == [said, said, "no bundled copy"]
    assert download.call_count == 1


def test_jobs_wait_once_for_a_host_that_says_nothing(tmp_path, monkeypatch):
    """Also where no time limit of a connection holds, as in the lookup of a name."""
    never = threading.Event()
    asked = Mock(side_effect=lambda *args, **kwargs: Mock(status_code=200) if never.wait() else 0)
    monkeypatch.setattr(requests, "head", asked)
    found = []
    url = "https://example.org/f.data"
    jobs = [
        threading.Thread(target=lambda: found.append(hosts.answers(url, tmp_path, 0.01)))
        for _ in range(4)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    never.set()
    assert found == [False] * 4
    assert asked.call_count == 1


def test_the_mirror_of_the_environment_comes_after_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv(fetch.OWN_MIRROR, mirror(tmp_path / "own"))
    assert main(arguments(tmp_path, mirrors=[str(tmp_path / "none")])) == 0
    source = json.loads((tmp_path / "raw/toy/source.json").read_text())
    assert outcomes(source) == ["no such folder", "taken"]
    assert source["files"][0]["from"] == str(tmp_path / "own/toy/toy+1.data")


def test_complete_rows_are_not_the_data_set(get, tmp_path):
    spec = toy()
    rows = parse_dataset(spec, {"toy+1.data": DATA}).iloc[:2]
    whole = {"rows": 2, "gaps": ["b"], "fingerprint": table_fingerprint(rows)}
    spec["complete_rows"] = whole
    bundle(tmp_path / "bundled", toy({"toy+1.data": DATA[:8]}), DATA[:8], "complete rows")
    facts = get(spec)
    assert [facts[key] for key in ("status", "route", "rows")] == ["complete rows", "bundled", 2]
    assert "make retry" in facts["remedy"]
    spec["complete_rows"] = whole | {"fingerprint": spec["fingerprint"]}
    with pytest.raises(UserError, match=r"has 2 rows, .* expected are 2 rows"):
        get(spec)
    assert get(spec, mirrors=[mirror(tmp_path / "m")])["status"] == "available"


def test_another_file_of_a_mirror_is_an_error(get, tmp_path):
    bad = mirror(tmp_path / "bad", WRONG)
    with pytest.raises(UserError) as error:
        get(toy(), mirrors=[bad, mirror(tmp_path / "good")])
    for part in (f"{bad}/toy/toy+1.data", SHA256, SHA256_OF_WRONG, "take", "data.mirrors"):
        assert part in str(error.value)
    assert not list(kept(tmp_path).parent.glob("*"))


@pytest.mark.parametrize(
    ("place", "content", "words"),
    [
        ("f.data", WRONG, r"f\.data: not the expected.*data\.official: false"),
        ("f.data", DATA + b"0" * 100_000, rf"f\.data: .* larger than {len(DATA)} bytes"),
        ("a.zip", zipped(**{"toy+1.data": WRONG}), r"a\.zip: not the expected toy\+1\.data"),
        ("a.zip", b"0" * 100_000, r"a\.zip: .* larger than 1000 bytes"),
        ("a.zip", b"<html>log in</html>", r"a\.zip: .* not a readable zip or tar archive"),
        ("a.zip", zipped(f=DATA)[:-30], r"a\.zip: .* not a readable zip or tar archive"),
    ],
    ids=["other", "longer", "other member", "longer archive", "page", "cut short"],
)
def test_a_wrong_download_is_an_error(get, server, tmp_path, monkeypatch, place, content, words):
    monkeypatch.setattr(fetch, "MOST_ARCHIVE", 1000)
    (server.root / place).write_bytes(content)
    url = f"{server.url}/{place}"
    spec = toy(archive=url) if place == "a.zip" else toy(url=url)
    with pytest.raises(UserError, match=words):
        get(spec, official=True, mirrors=[mirror(tmp_path / "good")])
    assert not list(kept(tmp_path).parent.glob("*"))


def test_a_password_is_shown_and_kept_nowhere(get, server, dead, tmp_path):
    mirror(server.root, WRONG)
    with pytest.raises(UserError) as error:
        get(toy(), mirrors=[server.url.replace("//", "//me:secret@")])
    facts = get(toy(), mirrors=[dead.replace("//", "//me:secret@")])
    for text in (str(error.value), json.dumps(facts)):
        assert "secret" not in text
        assert "***@127.0.0.1" in text
    files = [path for path in (tmp_path / "raw").rglob("*") if path.is_file()]
    assert not [path for path in files if "secret" in str(path) or b"secret" in path.read_bytes()]


def test_kept_files_are_checked_and_never_overwritten(get, tmp_path):
    first = get(toy(), mirrors=[mirror(tmp_path / "m")])
    second = get(toy())
    assert (second["route"], second["files"]) == (first["route"], first["files"])
    (tmp_path / "raw/toy/origins.json").unlink()
    assert get(toy())["files"][0]["from"] == "put there by hand"
    kept(tmp_path).write_bytes(WRONG)
    with pytest.raises(UserError, match=r"files/toy\+1\.data: not the expected file.*delete it"):
        get(toy(), mirrors=[str(tmp_path / "m")])
    assert kept(tmp_path).read_bytes() == WRONG


def arguments(tmp_path, **policy):
    policy = json.dumps({"official": False, **policy})
    places = {"table": "raw/toy/table.csv", "source": "raw/toy/source.json"}
    places |= {"raw": "raw", "bundled": "bundled"}
    words = ["download", "--dataset=toy", f"--spec={json.dumps(toy())}", f"--policy={policy}"]
    return words + [f"--{name}={tmp_path / place}" for name, place in places.items()]


def test_download_writes_the_same_table_and_record_every_time(tmp_path):
    words = arguments(tmp_path, mirrors=[mirror(tmp_path / "m")])
    table, record = (tmp_path / "raw/toy" / name for name in ("table.csv", "source.json"))
    assert main(words) == 0
    assert table.read_bytes() == b"a,b\n1,x\n2,y\n2,?\n"
    first = json.loads(record.read_text())
    assert (first["rows"], first["fingerprint"]) == (3, toy()["fingerprint"])
    assert main(words) == 0
    second = record.read_bytes()
    assert main(words) == 0
    assert record.read_bytes() == second
    assert {**json.loads(second), "attempts": first["attempts"]} == first


def test_an_unavailable_data_set_is_recorded(tmp_path, capsys):
    assert main(arguments(tmp_path)) == 0
    assert (tmp_path / "raw/toy/table.csv").read_bytes() == b"a,b\n"
    message = capsys.readouterr().err
    assert "DATA SET toy IS NOT AVAILABLE" in message
    assert "make retry" in message
    source = json.loads((tmp_path / "raw/toy/source.json").read_text())
    assert source["status"] == "unavailable"


@pytest.mark.parametrize("mirror", ["http://[::bad", "http://a:b/c", "http://a:99999", "http://.x"])
def test_a_mirror_of_the_environment_that_is_no_address_is_said(get, mirror):
    """Those of the configuration are checked before any job runs."""
    facts = get(toy(), mirrors=[mirror], timeout=0.1)
    assert facts["status"] == "unavailable"
    assert outcomes(facts)[0].startswith(("is no address", "no connection"))
