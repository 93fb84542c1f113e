"""Passwords and TLS: a password is in no message, no log and no command line, and goes to no one but the server."""
import glob
import os
import socket
import threading

from clickhouse import READER, Server, free_ports
from harness import equal, main, true
from pushing import Pusher, id_of, make_session, whole


class Listener:
    """A server of HTTP that answers every request in the same way. @param answer bytes; None: it never answers"""

    def __init__(self, answer):
        self.answer, self.requests, self.held = answer, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        for one in self.held:
            one.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.requests.append(client.recv(65536))
            if self.answer is None:
                self.held.append(client)
                continue
            try:
                client.sendall(self.answer)
            except OSError:
                pass
            client.close()


def answer(status, text, *headers):
    body = text.encode()
    return "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]).encode() + body


def case_sources(lab):
    """The variable, a file, and what is wrong with either."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        secret = lab.path("secret")
        with open(secret, "w", encoding="utf-8") as out:
            out.write(server.password + "\nmore\n")
        os.chmod(secret, 0o644)
        none = {"PASSPROBE_PUSH_PASSWORD": ""}
        for what, words, more in (("other users may read", ["--password-file", secret], none),
                                  ("not a regular file", ["--password-file", lab.scratch], none),
                                  ("No such file", ["--password-file", lab.path("nothing")], none),
                                  ("check the user", [], none), ("check the user", [], {"PASSPROBE_PUSH_PASSWORD": "wr0ng"}),
                                  ("control character", [], {"PASSPROBE_PUSH_PASSWORD": "a\x01b"})):
            done = pusher.run(*words, session, **more)
            equal((done.returncode, what in done.stderr), (125, True), f"{words} {more}: {done.stderr}")
            true("wr0ng" not in done.stderr and server.password not in done.stderr, done.stderr)
        os.chmod(secret, 0o600)
        equal(pusher.run("--password-file", secret, session, **none).returncode, 0, "a file of this user's")
        equal(pusher.seen(id_of(1)), whole(), "rows")
        done = lab.run([lab.passprobe, "push", pusher.url().replace("@", ":geheim@"), session], check=False)
        equal((done.returncode, "geheim" in done.stderr), (125, False), done.stderr)
        true("PASSPROBE_PUSH_PASSWORD" in done.stderr, done.stderr)
        done = lab.run([lab.passprobe, "push", "http://u:geheim@h/", session], check=False)
        equal((done.returncode, "geheim" in done.stderr), (125, False), done.stderr)


def case_nowhere(lab):
    """The password is not in what the command prints, not in its arguments, and not in the logs of the server."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        server.password = "s3cretbutplain"
        server.stop()
        server.start()
        done = pusher.run(make_session(lab.path("one"), id_of(1)))
        equal(done.returncode, 0, done.stderr)
        true("s3cret" not in done.stdout + done.stderr, done.stderr)
        for path in glob.glob(server.folder + "/*.log"):
            with open(path, encoding="utf-8", errors="replace") as file:
                true("s3cret" not in file.read(), path)
        with Listener(None) as listener:
            push = pusher.start(make_session(lab.path("two"), id_of(2)), port=listener.port)
            pusher.wait_for(lambda: listener.requests, "a request")
            with open(f"/proc/{push.pid}/cmdline", encoding="utf-8") as file:
                true("s3cret" not in file.read(), "arguments of the process")
            push.terminate()
            _, text = push.communicate(timeout=60)
            equal((push.returncode, "stopped" in text), (125, True), text)
            true(b"s3cret" not in listener.requests[0].split(b"\r\n")[0], "the address of the request")


def case_proxy(lab):
    """A proxy of the environment gets nothing of what goes to this machine."""
    with Server(lab.path("server")) as server, Listener(answer("200 OK", "1\n")) as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        done = Pusher(lab, server).run(make_session(lab.path("one"), id_of(1)), http_proxy=address, all_proxy=address)
        equal((done.returncode, proxy.requests), (0, []), done.stderr)


def case_plain(lab):
    """`push` and `diff` warn of a password that crosses the network without encryption, and of no other."""
    [port] = free_ports(1)  # nothing listens there
    session = make_session(lab.path("one"), id_of(1))
    for scheme, host, password, warned in (("clickhouse", "0.0.0.0", "s3cret", True), ("clickhouse", "0.0.0.0", "", False),
                                           ("clickhouse", "127.0.0.1", "s3cret", False),
                                           ("clickhouses", "0.0.0.0", "s3cret", False)):
        address = f"{scheme}://ci@{host}:{port}/fleet"
        for words in (["push", "--retry", "0", address, session], ["diff", address, session], ["diff", session, address],
                      ["diff", "--trend", address]):
            done = lab.run([lab.passprobe, *words], check=False, PASSPROBE_PUSH_PASSWORD=password)
            equal((done.returncode != 0, done.stderr.count("without encryption"), "s3cret" in done.stderr),
                  (True, int(warned), False), f"{words}: {done.stderr}")


def case_redirect(lab):
    """A redirection is not followed, so that the password goes to no other server."""
    with Server(lab.path("server")) as server, Listener(answer("200 OK", "1\n")) as other:
        pusher = Pusher(lab, server)
        with Listener(answer("307 Temporary Redirect", "", f"Location: http://127.0.0.1:{other.port}/")) as listener:
            done = pusher.run(make_session(lab.path("one"), id_of(1)), port=listener.port)
        equal((done.returncode, "HTTP status 307" in done.stderr), (125, True), done.stderr)
        equal(other.requests, [], "requests to the other server")


def case_odd_servers(lab):
    """Servers that are none of ClickHouse, never answer, or repeat the password: one line, and no hang."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        endless = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + b"1" * 4000000
        for what, reply, words in (
                ("not one of ClickHouse", answer("200 OK", "<html>\x1b[31m"), []),
                ("not one of ClickHouse", answer("200 OK", ""), []),
                ("HTTP status 404: nothing here", answer("404 Not Found", "nothing here\nmore"), []),
                ("with ****", answer("500 Error", f"user with {server.password}"), ["--retry", "0"]),
                ("too long", endless, []),
                ("not pushed", b"SSH-2.0-OpenSSH\r\n", ["--retry", "0"]),
                ("not pushed", b"", ["--retry", "0"]),
                ("not pushed", None, ["--retry", "0", "--timeout", "1"])):
            with Listener(reply) as listener:
                done = pusher.run(*words, session, port=listener.port)
            equal((done.returncode, what in done.stderr), (125, True), f"{reply!r:.80}: {done.stderr}")
            equal(len(done.stderr.splitlines()), 1, done.stderr)
            true(server.password not in done.stderr and "\x1b" not in done.stderr, done.stderr)


def case_tls(lab):
    """clickhouses:// speaks TLS with a server whose certificate is trusted, and with no other."""
    with Server(lab.path("server"), tls=True) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        done = pusher.run(session, tls=True)
        equal((done.returncode, "certificate" in done.stderr), (125, True), done.stderr)
        equal(len(done.stderr.splitlines()), 1, f"no second try: {done.stderr}")
        equal(pusher.run("--ca-file", server.certificate, session, tls=True).returncode, 0, "with the certificate")
        equal(pusher.seen(id_of(1)), whole(), "rows")
        done = pusher.run("--ca-file", lab.path("nothing"), session, tls=True)
        equal(done.returncode, 125, done.stderr)
        done = pusher.run("--retry", "0", session, port=server.ports.https)
        equal(done.returncode, 125, f"without TLS: {done.stderr}")


def case_rights(lab):
    """Users who may not write, tables of other programs, and a newer version of the tables."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        url = lambda user, database: server.url(database, user=user)
        push = lambda user, database: lab.run([lab.passprobe, "push", url(user, database), session], check=False,
                                              PASSPROBE_PUSH_PASSWORD=server.password)
        done = push(READER, "fleet")
        equal((done.returncode, "rights" in done.stderr), (125, True), done.stderr)
        equal(pusher.run(session).returncode, 0, "a user who may")
        done = push(READER, "fleet")
        equal((done.returncode, "is there already" in done.stderr), (0, True), f"reading is enough: {done.stderr}")
        server.query("CREATE DATABASE other")
        server.query("CREATE TABLE stored_frames (a UInt8) ENGINE = MergeTree ORDER BY a", database="other")
        done = push("passprobe", "other")
        equal((done.returncode, "are not those of passprobe" in done.stderr), (125, True), done.stderr)
        server.query("INSERT INTO passprobe_schema (version) VALUES (2)", database="fleet")
        done = pusher.run(session)
        equal((done.returncode, "newer passprobe" in done.stderr), (125, True), done.stderr)


if __name__ == "__main__":
    main(globals())
