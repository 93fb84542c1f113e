"""Sessions that somebody made to do harm: they are refused, or their good rows are taken, by a server and by a lake. What is
there already stays as it is."""
import json
import os
import subprocess
import tarfile

from clickhouse import Server
from harness import environment, equal, main, need, true
from pushing import Pusher, id_of, make_session, whole

LYING = 1 << 40


def run(lab, *words, **more):
    """Run passprobe, with a folder for temporary files of its own, in which nothing may remain."""
    temporary = lab.path("tmp")
    os.makedirs(temporary, exist_ok=True)
    done = subprocess.run([lab.passprobe, *words], env=environment(TMPDIR=temporary, **more), check=False, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    equal(os.listdir(temporary), [], f"what remains after {words}")
    return done


def lake_files(folder):
    """All files of a lake with rows: {path: content}."""
    ret = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if name.endswith(".zst"):
                ret[path] = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    return ret


def both(lab, pusher, path, *options):
    """Push to the server and into the lake. @return (exit status, stderr) of each."""
    temporary = lab.path("tmp")
    os.makedirs(temporary, exist_ok=True)
    there = pusher.run(path, *options, TMPDIR=temporary)
    equal(os.listdir(temporary), [], f"what remains of {path}")
    here = run(lab, "push", *options, lab.path("lake"), path)
    return [(done.returncode, done.stderr) for done in (there, here)]


def replace(path, old, new):
    """Replace bytes of a file."""
    with open(path, "rb") as file:
        content = file.read()
    true(old in content, f"{path} has {old}")
    with open(path, "wb") as file:
        file.write(content.replace(old, new))


def case_broken_utf8(lab):
    """Bytes that are no UTF-8 become '?', so that every engine reads the rows."""
    need("zstd")
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        for name in ("passes.csv", "labels.csv", "draws.csv"):
            replace(os.path.join(session, name), b"scene/sun", b"\xff\xc3(\xed\xa0\x80")
        replace(os.path.join(session, "passes.csv"), b"pass 1", b"\xf0\x9f\x98")
        replace(os.path.join(session, "frames.csv"), b"app:hit", b"app:\xfehit")
        for status, text in both(lab, pusher, session):
            equal(status, 0, text)
        equal(pusher.seen(id_of(1)), whole(), "rows")
        for table in ("labels", "pass_names"):
            equal(pusher.rows(f"SELECT DISTINCT label FROM {table}"), [["??(???"]], table)
        equal(pusher.rows("SELECT name FROM pass_names ORDER BY pass_id"), [["pass 0"], ["???"], ["pass 2"]], "names")
        equal(pusher.value("SELECT any(counters.name[2]) FROM frames WHERE length(counters.name) = 2"), "app:?hit, points", "counter")
        files = lake_files(lab.path("lake"))
        equal(len(files), 8, "tables of the lake")
        text = "".join(content.decode("utf-8", "strict") for content in files.values())
        true('"??(???"' in text and '"???"' in text and "app:?hit" in text, "texts of the lake")


def case_stolen_id(lab):
    """A session with the id of another one changes nothing of it, whatever it claims; the spool puts it aside."""
    need("zstd")
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        for status, text in both(lab, pusher, make_session(lab.path("one"), id_of(1))):
            equal(status, 0, text)
        columns = "SELECT * FROM sessions"
        before = pusher.rows(columns), lake_files(lab.path("lake"))
        forged = {"tags": {"build": "9999"}, "program": {"executable": "other", "start_realtime_ns": 10**18},
                  "host": {"name": "thief"}, "devices": [{"api": "vulkan", "name": "GPU two", "driver": "d"}]}
        other = make_session(lab.path("other"), id_of(1), seed=5, label="mine", json_more=forged)
        archive = lab.path("other.tar.zst")
        equal(run(lab, "archive", "-o", archive, other).returncode, 0, "archive")
        for path in (other, archive):
            for status, text in both(lab, pusher, path):
                equal((status, "other content" in text), (125, True), f"{path}: {text}")
        # the same rows under other facts: nothing to refuse, and nothing that changes
        for status, text in both(lab, pusher, make_session(lab.path("facts"), id_of(1), json_more={"tags": {"build": "9999"}})):
            equal((status, "is there already" in text), (0, True), text)
        equal((pusher.rows(columns), lake_files(lab.path("lake"))), before, "what is there")
        equal(pusher.stored(id_of(1)), whole(), "rows that are stored")


def tar(path, *members):
    """Write a tar file of members (name, content, what changes the TarInfo, the size that the head claims)."""
    with open(path, "wb") as out:
        for name, content, change, claimed in members:
            info = tarfile.TarInfo(name)
            info.size = len(content) if claimed is None else claimed
            for key, value in change.items():
                setattr(info, key, value)
            out.write(info.tobuf(tarfile.GNU_FORMAT))
            out.write(content + bytes(-len(content) % 512))
        out.write(bytes(10240))
    return path


def case_archives(lab):
    """Archives whose members leave the folder, are links or devices, or lie about their sizes, are refused by a server's
    push and a lake's; nothing is written anywhere."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        for status, text in both(lab, pusher, make_session(lab.path("first"), id_of(1))):
            equal(status, 0, text)
        session = make_session(lab.path("s"), id_of(2))
        files = {}
        for name in os.listdir(session):
            with open(os.path.join(session, name), "rb") as file:
                files[name] = file.read()
        victim = lab.path("victim.csv")
        link = {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}
        good = [(f"s/{name}", content, {}, None) for name, content in files.items()]
        without = lambda name: [member for member in good if member[0] != f"s/{name}"]
        rows = files["frames.csv"]
        cases = {
            "up": [*good, ("s/../../victim.csv", rows, {}, None)],
            "above": [*good, ("../frames.csv", rows, {}, None)],
            "absolute": [*good, (victim, rows, {}, None)],
            "link": [*without("frames.csv"), ("s/frames.csv", b"", link, None)],
            "device": [*without("frames.csv"), ("s/frames.csv", b"", {"type": tarfile.CHRTYPE}, None)],
            "twice": [*good, ("t/frames.csv", rows, {}, None)],
            "larger than it is": [*without("frames.csv"), ("s/frames.csv", rows, {}, LYING)],
            "smaller than it is": [*without("frames.csv"), ("s/frames.csv", rows, {}, 1)],
            "negative": [*without("frames.csv"), ("s/frames.csv", rows, {}, -1)],
        }
        for what, members in cases.items():
            path = tar(lab.path("bad.tar"), *members)
            for status, text in both(lab, pusher, path):
                equal((status, len(text.splitlines())), (125, 1), f"{what}: {text}")
        true(not os.path.exists(victim), "a file outside")
        equal(pusher.value("SELECT count() FROM sessions"), "1", "sessions of the server")
        equal(len(os.listdir(os.path.join(lab.path("lake"), ".passprobe", "sessions"))), 1, "sessions of the lake")
        for status, text in both(lab, pusher, tar(lab.path("good.tar"), *good)):
            equal(status, 0, text)
        equal(pusher.seen(id_of(2)), whole(), "the archive without changes")


def case_lies(lab):
    """What session.json says of sizes and places is not believed: the rows that are there are pushed, and the counts of the
    session's row are those. If it counts more rows, the session is damaged: it is refused, but for --damaged. A later schema is
    refused, as is a number that no counter has."""
    need("zstd")
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        big = 2**63 - 1
        lies = [
            {"counts": {"frames": big, "passes": -big}, "dropped": {"frames": -1}},
            {"surfaces": [{"name": "w", "device": big}], "window": {"first": big, "last": -big}},
            {"surfaces": [{"name": "w", "device": -1}] * 2000, "devices": []},
            {"devices": [{"name": "g" * 100000, "driver": 7, "bracket_bias": [{"scope": "pass", "median_ns": -big}]}]},
            {"devices": [{"bracket_bias": [{"scope": "pass", "count": 9, "min_ns": 0, "median_ns": 1e300, "iqr_ns": 1}]}]},
            {"marks": [{"at_ns": -1, "frame": 10**18, "label": "x"}, {"at_ns": "now"}, 7, None], "events_missing": "all"},
            {"tags": {f"k{i}": "v" * 10000 for i in range(500)}, "empty_cells": [{"file": 7, "columns": [7, None, {}]}]},
            {"options": {"level": ["draw"]}, "ended": {"a": 1}, "own_cost": {"percent": "much"}, "schema": big},
        ]
        for number, more in enumerate(lies, 1):
            session = make_session(lab.path("lie"), id_of(number), json_more=more)
            what = json.dumps(more)[:200]
            refused = more.get("schema") or "1e+300" in what
            damaged = "counts" in more
            for status, text in both(lab, pusher, session):
                equal((status, "not pushed: it is damaged: frames.csv: " in text), (125 if refused or damaged else 0, damaged),
                      f"{what}: {text}")
            if damaged:
                equal(pusher.seen(id_of(number))["sessions"], 0, what)
                for status, text in both(lab, pusher, session, "--damaged"):
                    equal((status, "lie is damaged: frames.csv: " in text), (0, True), f"{what}: {text}")
            if refused:
                continue
            seen = pusher.seen(id_of(number))
            equal((seen["sessions"], seen["frames"], seen["passes"]), (1, 20, 60), what)
            [[counted, tags]] = pusher.rows("SELECT frames, length(tags.name) FROM sessions WHERE session_id ="
                                            f" '{id_of(number)}'")
            equal((counted, int(tags) <= 256), ("20", True), what)
        frames = os.path.join(make_session(lab.path("wide"), id_of(90)), "frames.csv")
        replace(frames, b"\r\n1,gl,0,0,", b"\r\n18446744073709551616,gl,0,0,")
        replace(frames, b"\r\n2,gl,0,0,", b"\r\n-2,gl,0,0,")
        replace(frames, b"\r\n3,gl,0,0,", b"\r\n3,gl,0,4294967295,")
        for status, text in both(lab, pusher, os.path.dirname(frames), "--damaged"):
            equal((status, "frame: " in text, "is damaged" in text), (0, True, True), text)
        equal(pusher.value(f"SELECT count() FROM frames WHERE session_id = '{id_of(90)}'"), "18", "frames with a number")
        for path, content in lake_files(lab.path("lake")).items():
            content.decode("utf-8", "strict")
            true(len(content) < 1 << 21, path)


if __name__ == "__main__":
    main(globals())
