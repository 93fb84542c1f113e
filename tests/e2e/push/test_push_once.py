"""Each session is on the server exactly once: pushed twice, cut off at any byte, killed, two pushes at once, other content
under the same id."""
import os
import signal
import time

from clickhouse import Server
from harness import equal, main, true
from proxy import Proxy
from pushing import Pusher, id_of, make_session, whole

COMPLETING = b"INSERT%20INTO%20stored_sessions"


def exactly_once(pusher, session_id, what):
    equal(pusher.seen(session_id), whole(), what)
    [counts] = pusher.rows("SELECT frames, passes, pass_names, labels, marks, draws, counters_missing FROM sessions"
                           f" WHERE session_id = '{session_id}'")
    equal([int(cell) for cell in counts], [20, 60, 3, 20, 1, 0, 1], "counts in the session's row")


def case_twice(lab):
    """A second push adds nothing. So does one of a copy in another folder, and one with other tags."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        copy = make_session(lab.path("copy"), id_of(1), json_more={"tags": {"build": "9"}, "ended": "other"})
        for path in (session, session, copy):
            done = pusher.run(path)
            equal(done.returncode, 0, done.stderr)
            exactly_once(pusher, id_of(1), path)
        true("is there already" in done.stderr, done.stderr)
        equal(pusher.stored(id_of(1)), {**whole()}, "rows that are stored")
        equal(pusher.value("SELECT count() FROM stored_pushes"), "1", "pushes that began")


def case_cut(lab):
    """A push that is cut off at any byte, from the machine or to it, leaves nothing or all; a second one completes it."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        equal(pusher.run(make_session(lab.path("first"), id_of(1))).returncode, 0, "the first push")
        with Proxy(server.ports.http) as proxy:
            equal(pusher.run(make_session(lab.path("whole"), id_of(2)), port=proxy.port).returncode, 0, "through a proxy")
            up, down = proxy.up, proxy.down
        true(up > 3000 and down > 500, (up, down))
        number, completed = 3, 0
        for way, most, points in (("cut_up", up, 24), ("cut_down", down, 16)):
            # the last cut is in the last answer: the server has all by then
            for cut in [*range(1, most - 16, most // points), most - 17]:
                session = make_session(lab.path("cut"), id_of(number))
                with Proxy(server.ports.http, **{way: cut}) as proxy:
                    done = pusher.run("--retry", "0", session, port=proxy.port)
                seen = pusher.seen(id_of(number))
                true(seen in (whole(), dict.fromkeys(seen, 0)), f"{way} {cut}: {seen}")
                equal(done.returncode, 125, f"{way} {cut}: {done.stderr}")
                completed += seen["sessions"]
                again = pusher.run(session)
                equal(again.returncode, 0, f"{way} {cut}: {again.stderr}")
                exactly_once(pusher, id_of(number), f"{way} {cut}")
                number += 1
        true(0 < completed < number - 3, f"{completed} of {number - 3} were complete")


def case_killed(lab):
    """kill -9 at several moments, among them when only the row of the session is missing; --clean-up removes the rest."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        pusher.run(make_session(lab.path("first"), id_of(1)))
        for number, hold in enumerate((b"stored_pushes", b"INSERT%20INTO%20stored_passes", COMPLETING), 2):
            session = make_session(lab.path("killed"), id_of(number))
            with Proxy(server.ports.http, hold=hold) as proxy:
                push = pusher.start(session, port=proxy.port)
                true(proxy.held.wait(60), f"{hold}: never sent")
                push.send_signal(signal.SIGKILL)
                push.communicate()
            equal(pusher.seen(id_of(number))["frames"], 0, f"{hold}: half a push is seen")
        half = pusher.stored(id_of(4))
        true(half["passes"] == 60 and half["sessions"] == 0, f"rows of the push that was killed: {half}")
        equal(pusher.run(session).returncode, 0, "a second push")
        exactly_once(pusher, id_of(4), "after the kill")
        true(pusher.stored(id_of(4))["passes"] == 120, "the rows that do not count are still there")
        # a push that began a moment ago may go on: it is left alone
        done = pusher.run("--clean-up")
        equal((done.returncode, "removed now: 0" in done.stderr), (0, True), done.stderr)
        # the clock of the server cannot be changed: make the pushes older
        pusher.server.query("ALTER TABLE stored_pushes DELETE WHERE session_id = '%s'" % id_of(4), database="fleet")
        pusher.wait_for(lambda: pusher.count("stored_pushes", id_of(4)) == 0, "the notes of the pushes are gone")
        pusher.server.query("INSERT INTO stored_pushes (push, session_id, begun) SELECT DISTINCT push, session_id,"
                            " now() - 8000 FROM stored_frames WHERE session_id = '%s'" % id_of(4), database="fleet")
        done = pusher.run("--clean-up")
        equal((done.returncode, "removed now: 1" in done.stderr), (0, True), done.stderr)
        pusher.wait_for(lambda: pusher.stored(id_of(4)) == whole(), "the rows that do not count are gone")
        exactly_once(pusher, id_of(4), "after the removal")


def at_once(pusher, server, sessions):
    """Push so that all are complete but for the row of the session, then let them go on. @return what they printed."""
    proxies = [Proxy(server.ports.http, hold=COMPLETING).__enter__() for _ in sessions]
    pushes = [pusher.start(session, port=proxy.port) for session, proxy in zip(sessions, proxies)]
    for proxy in proxies:
        true(proxy.held.wait(60), "a push does not come to its end")
    for proxy in proxies:
        proxy.release()
    ends = [push.communicate(timeout=120)[1] for push in pushes]
    for proxy in proxies:
        proxy.__exit__()
    return [(push.returncode, text) for push, text in zip(pushes, ends)]


def case_at_once(lab):
    """Several pushes of a session that are complete at the same moment: one counts, the others remove their rows."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        pusher.run(make_session(lab.path("first"), id_of(1)))
        session = make_session(lab.path("two"), id_of(2))
        ends = at_once(pusher, server, [session] * 3)
        equal([code for code, _ in ends], [0, 0, 0], ends)
        exactly_once(pusher, id_of(2), "after three pushes at once")
        pusher.wait_for(lambda: pusher.stored(id_of(2)) == whole(), "the losers' rows are gone")
        exactly_once(pusher, id_of(2), "after the removal")


def case_answer_lost(lab):
    """The server completes a push, and its answer is lost: the next try of the same process finds the session, and removes
    nothing of it."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        pusher.run(make_session(lab.path("first"), id_of(1)))
        for number, swallow in enumerate((COMPLETING, b"INSERT%20INTO%20stored_labels", b"INSERT%20INTO%20stored_pushes"), 2):
            with Proxy(server.ports.http, swallow=swallow) as proxy:
                done = pusher.run(make_session(lab.path("lost"), id_of(number)), port=proxy.port)
            equal((done.returncode, "next try" in done.stderr), (0, True), f"{swallow}: {done.stderr}")
            pusher.wait_for(lambda: pusher.value("SELECT countIf(is_done = 0) FROM system.mutations") == "0",
                            "the server has removed what it shall remove")
            exactly_once(pusher, id_of(number), swallow)
        equal(pusher.stored(id_of(2)), whole(), "rows of the push whose answer was lost")


def case_first_at_once(lab):
    """Several machines make the database and its tables at the same time."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        pushes = [pusher.start(make_session(lab.path(f"s{i}"), id_of(i))) for i in range(1, 5)]
        ends = [(push.communicate(timeout=120)[1], push.returncode) for push in pushes]
        equal([code for _, code in ends], [0] * 4, ends)
        for i in range(1, 5):
            exactly_once(pusher, id_of(i), f"session {i}")


def case_other_content(lab):
    """A session with the id of another one and other content is refused, one after the other and at once."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        pusher.run(make_session(lab.path("one"), id_of(1)))
        for what, other in (("a time", {"seed": 2}), ("fewer frames", {"frames": 19})):
            done = pusher.run(make_session(lab.path("other"), id_of(1), **other))
            equal((done.returncode, "other content" in done.stderr), (125, True), f"{what}: {done.stderr}")
            exactly_once(pusher, id_of(1), what)
        done = pusher.run(make_session(lab.path("renamed"), id_of(1), label="x"))  # texts depend on the redaction
        equal((done.returncode, "is there already" in done.stderr), (0, True), done.stderr)
        exactly_once(pusher, id_of(1), "a label")
        equal(pusher.stored(id_of(1)), whole(), "rows that are stored")
        for number in range(2, 8):
            sessions = [make_session(lab.path(f"at once {i}"), id_of(number), label=f"label {i}", seed=i + 1) for i in range(2)]
            ends = at_once(pusher, server, sessions)
            codes = [code for code, _ in ends]
            true(sorted(codes) in ([0, 125], [125, 125]), ends)  # both, if they came at the same moment
            left = codes.count(0)
            pusher.wait_for(lambda: pusher.stored(id_of(number))["sessions"] == left, "the loser's rows are gone")
            equal(pusher.seen(id_of(number))["frames"], 20 * left, "frames")
            for (code, text), label in zip(ends, ("label 0", "label 1")):
                equal("other content" in text, code == 125, text)
                if code == 0:
                    equal(pusher.rows(f"SELECT DISTINCT label FROM labels WHERE session_id = '{id_of(number)}'"), [[label]], "content")


def case_retry(lab):
    """A server that comes back is enough: the push tries again by itself."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        pusher.run(make_session(lab.path("first"), id_of(1)))
        server.stop()
        push = pusher.start("--retry", "100", make_session(lab.path("late"), id_of(2)))
        line = push.stderr.readline()
        true("next try in" in line, line)
        equal(push.poll(), None, "the push waits")
        server.start()
        equal((push.communicate(timeout=180), push.returncode)[1], 0, "the push ends well")
        exactly_once(pusher, id_of(2), "after the restart")
        server.stop()
        begin = time.monotonic()
        done = pusher.run("--retry", "1", make_session(lab.path("never"), id_of(3)))
        equal(done.returncode, 125, done.stderr)
        true(time.monotonic() - begin < 60, "a server that is away ends the push soon")
        true(os.path.exists(lab.path("never")), "the session stays")


if __name__ == "__main__":
    main(globals())
