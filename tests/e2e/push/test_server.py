"""The servers that tests of `passprobe push` start: they answer, keep what they have, know each other, and end."""
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import clickhouse
from clickhouse import HOST, READER, Cluster, QueryError, Server, statements
from harness import ROOT, equal, fail, main, none, true


def case_answers(lab):
    """A server answers, refuses a wrong password and the writes of a reader, and has ended after the test."""
    with Server(lab.path("server")) as server:
        process = server.process
        equal(server.value("SELECT 6 * 7"), "42", "answer")
        true(server.value("SELECT version()").count(".") >= 2, "version")
        for what, more in (("a wrong password", {"password": "wrong"}), ("no such user", {"user": "nobody"})):
            try:
                server.query("SELECT 1", **more)
                fail(f"{what} is taken")
            except QueryError as error:
                true("nobody" in error.text or "passprobe" in error.text, f"{what}: {error.text}")
        server.query("CREATE TABLE t (a UInt8, b Nullable(UInt8)) ENGINE = MergeTree ORDER BY a")
        server.query("INSERT INTO t (a, b) FORMAT TabSeparated", data=b"1\t\\N\n2\t0\n")
        equal(server.rows("SELECT a, b FROM t ORDER BY a", user=READER), [["1", "\\N"], ["2", "0"]], "rows")
        try:
            server.query("INSERT INTO t (a) VALUES (3)", user=READER)
            fail("a reader writes")
        except QueryError as error:
            true("readonly" in error.text, error.text)
    equal(process.returncode, 0, "exit status of the server")


def case_keeps_data(lab):
    """A server that is killed and started again has the rows that it took."""
    with Server(lab.path("server")) as server:
        server.query("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
        server.query("INSERT INTO t SELECT number FROM numbers(1000)")
        server.kill()
        equal(server.process.returncode, -signal.SIGKILL, "end of the server")
        true(not server.answers(), "a server that was killed does not answer")
        server.start()
        equal(server.value("SELECT sum(a) FROM t"), "499500", "rows after the kill")


def case_cluster(lab):
    """Two servers know each other, with passwords."""
    with Cluster(lab.path("cluster"), shards=2) as cluster:
        for i, server in enumerate(cluster.servers):
            server.query("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
            server.query("CREATE TABLE all AS t ENGINE = Distributed(fleet, default, t, a)")
            server.query(f"INSERT INTO t SELECT number + {1000 * i} FROM numbers(10)")
        for server in cluster.servers:
            equal(server.value("SELECT count() FROM all"), "20", "rows of both servers")
            equal(server.value("SELECT max(a) FROM all"), "1009", "largest row of both servers")


def case_tls(lab):
    """HTTPS answers those who trust the certificate."""
    with Server(lab.path("server"), tls=True) as server:
        equal(server.query("SELECT 1 + 1", tls=True), "2\n", "answer over TLS")
        try:
            urllib.request.urlopen(f"https://{HOST}:{server.ports.https}/ping", timeout=10)
            fail("the certificate is trusted by everyone")
        except urllib.error.URLError as error:
            true("CERTIFICATE_VERIFY_FAILED" in str(error), str(error))


def case_missing(lab):
    """Without the package, a test is skipped and names the package."""
    if os.environ.get("PP_MISSING"):
        clickhouse.SYSTEM_PATH = lab.scratch
        Server(lab.path("server"))
        fail("a server was found in an empty PATH")
    done = subprocess.run([sys.executable, "-B", __file__, "--build", lab.build, "missing"], capture_output=True,
                          text=True, check=False, env={**os.environ, "PATH": lab.scratch, "PP_MISSING": "1"})
    equal(done.returncode, 77, f"exit status of a test without the package: {done.stderr}")
    last = done.stdout.splitlines()[-1]
    true(last.startswith("skipped: clickhouse-server is not installed"), last)


def case_statements(_):
    """A file of SQL becomes its statements."""
    equal(statements("-- about; this\nSELECT 1;\n\nSELECT ';'\n  , 2;\n"), ["SELECT 1", "SELECT ';'\n  , 2"], "statements")
    equal(statements("SELECT 1"), ["SELECT 1"], "a statement without an end")


def case_versions(_):
    """The statements for users run on 18.16 and on newer versions: those refuse a joined subquery without a name, and
    their ANY INNER JOIN takes one row of each key from both sides."""
    folder = os.path.join(ROOT, "cli/push/sql/clickhouse")
    files = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]
    joins = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = " ".join(line for line in file.read().splitlines() if not line.startswith("--"))
        none(re.findall(r"ANY INNER JOIN", text), path)
        for before, behind in re.findall(r"(\S+ \S+)\s+(?:ANY LEFT|ALL INNER) JOIN|(\S+ \S+) USING", text):
            joins += 1
            true((before or behind).startswith("AS "), f"{path}: a joined subquery has no name: {before or behind}")
    true(joins > 40, f"joined subqueries: {joins}")


if __name__ == "__main__":
    main(globals())
