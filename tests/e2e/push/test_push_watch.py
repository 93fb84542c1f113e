"""`push --watch` for machines that are often offline, --since, --dry-run, folders of repeated runs, and archives."""
import http.client
import http.server
import json
import os
import shutil
import signal
import threading
import time

from clickhouse import Server
from harness import equal, main, true
from pushing import Pusher, id_of, make_session, whole

FRESH = 10  # seconds in which a file that changed is left alone


def old(folder):
    """Make the files of a session older than what is left alone."""
    for path in [folder] if os.path.isfile(folder) else [os.path.join(folder, name) for name in os.listdir(folder)]:
        os.utime(path, (time.time() - 2 * FRESH,) * 2)
    return folder


def case_watch(lab):
    """Sessions wait while the server is away, and are pushed when it is back; what is refused is put aside."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        server.stop()
        spool = lab.path("spool")
        os.mkdir(spool)
        old(make_session(os.path.join(spool, "a"), id_of(1)))
        old(make_session(os.path.join(spool, "bad"), id_of(2), json_more={"session_id": "x"}))
        os.mkdir(os.path.join(spool, "nothing"))
        os.symlink(old(make_session(lab.path("elsewhere"), id_of(3))), os.path.join(spool, "link"))
        make_session(os.path.join(spool, "fresh"), id_of(4))
        future = time.time() + 3600
        os.utime(os.path.join(spool, "fresh", "session.json"), (future, future))
        push = pusher.start("--watch", spool)
        lines = [push.stderr.readline() for _ in range(2)]
        true("waiting for sessions" in lines[0], lines)
        true("onnect" in lines[1], lines)
        equal(sorted(os.listdir(spool)), ["a", "bad", "fresh", "link", "nothing"], "while the server is away")
        server.start()
        there = lambda *names: os.path.exists(os.path.join(spool, *names))
        pusher.wait_for(lambda: there("pushed", "a") and there("refused", "bad"), "both are moved", 120)
        equal(pusher.seen(id_of(1)), whole(), "rows")
        archive = lab.path("b.tar.zst")
        lab.run([lab.passprobe, "archive", "-o", archive, make_session(lab.path("b"), id_of(5))])
        os.rename(old(archive), os.path.join(spool, "b.tar.zst"))
        old(make_session(lab.path("again"), id_of(1)))
        os.rename(lab.path("again"), os.path.join(spool, "a"))
        pusher.wait_for(lambda: there("pushed", "b.tar.zst") and there("pushed", "a.1"), "what came later is moved", 120)
        equal(pusher.seen(id_of(5))["frames"], 20, "rows of the archive")
        equal(sorted(os.listdir(spool)), ["fresh", "link", "nothing", "pushed", "refused"], "what is left alone")
        push.send_signal(signal.SIGTERM)
        text = push.communicate(timeout=60)[1]
        equal((push.returncode, text.count("onnect")), (0, 0), f"the end: {text}")
        equal([pusher.count("sessions", id_of(i)) for i in (2, 3, 4)], [0, 0, 0], "not pushed")


class Limited(http.server.BaseHTTPRequestHandler):
    """Passes requests on to `server`, except for large ones, as a proxy with a limit does."""
    protocol_version = "HTTP/1.1"
    server_port = 0
    refused = 0

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, text = 413, b"too large"
        if len(body) < 8000:
            there = http.client.HTTPConnection("127.0.0.1", self.server_port)
            there.request("POST", self.path, body, {name: value for name, value in self.headers.items() if name != "Host"})
            answer = there.getresponse()
            status, text = answer.status, answer.read()
        else:
            Limited.refused += 1
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def case_not_taken(lab):
    """A session that the server never takes does not keep the others back; one line names it."""
    with Server(lab.path("server")) as server, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Limited) as limited:
        Limited.server_port = server.ports.http
        threading.Thread(target=limited.serve_forever, daemon=True).start()
        pusher = Pusher(lab, server)
        spool = lab.path("spool")
        for number, (name, frames) in enumerate((("a", 20), ("large", 20000), ("z", 20)), 1):
            old(make_session(os.path.join(spool, name), id_of(number), frames=frames, draws=False))
        push = pusher.start("--watch", spool, port=limited.server_port)
        there = lambda name: os.path.exists(os.path.join(spool, "pushed", name))
        pusher.wait_for(lambda: there("a") and there("z"), "the others are moved", 60)
        before = Limited.refused
        pusher.wait_for(lambda: Limited.refused > before + 1, "the large one is tried again", 60)
        push.send_signal(signal.SIGTERM)
        text = push.communicate(timeout=60)[1]
        equal((push.returncode, text.count("413"), "large: not pushed: " in text), (0, 1, True), text)
        equal(sorted(os.listdir(spool)), ["large", "pushed"], "what is left")
        limited.shutdown()


def case_choices(lab):
    """--since leaves older sessions out; a session that is written is refused; --dry-run needs no server."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))  # of 2023-11-14T00:00:00.000000001
        done = pusher.run("--dry-run", "--draws", session, port=1, PASSPROBE_PUSH_PASSWORD="")
        equal(done.returncode, 0, done.stderr)
        counts = dict(line.split() for line in done.stdout.splitlines())
        equal(counts, {"frames": "20", "passes": "60", "pass_names": "3", "labels": "20", "marks": "1", "draws": "60",
                       "counters_missing": "1", "sessions": "1"}, "rows that would be sent")
        for since, sent in (("2023-11-14T00:01", 0), ("1h", 0), ("2023-11-15", 0), ("2023-11-14", 1), ("999999d", 1)):
            equal(pusher.run("--since", since, session).returncode, 0, since)
            equal(pusher.value("SELECT count() FROM sessions") if sent else "", "1" if sent else "", since)
        for words in (["--since", "yesterday"], ["--retry", "-1"], ["--timeout", "0"], ["--no-such"], ["--since"]):
            done = pusher.run(*words, session) if words != ["--since"] else pusher.run("--since")
            equal((done.returncode, len(done.stderr.splitlines())), (125, 1), f"{words}: {done.stderr}")


def case_folders(lab):
    """All runs of a folder of repeated runs are pushed."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        runs = lab.path("runs")
        for i in (1, 2, 3):
            make_session(os.path.join(runs, f"run{i}"), id_of(i))
        with open(os.path.join(runs, "runs.json"), "w", encoding="utf-8") as out:
            json.dump({"passprobe": "0.1.0", "schema": 1, "ended": "complete", "commands": [["game"]],
                       "runs": [{"session": f"run{i}", "command": 0, "number": i, "status": 0, "frames": 20, "counts": True}
                                for i in (1, 2, 3)]}, out)
        done = pusher.run(runs)
        equal(done.returncode, 0, done.stderr)
        for i in (1, 2, 3):
            equal(pusher.seen(id_of(i)), whole(), f"run {i}")
        shutil.rmtree(os.path.join(runs, "run2"))
        done = pusher.run(runs, lab.path("missing"))
        equal(done.returncode, 125, done.stderr)
        true("not pushed" in done.stderr.splitlines()[-1], done.stderr)


if __name__ == "__main__":
    main(globals())
