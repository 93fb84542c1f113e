"""distributed.sql on several servers of loopback: ingest in parallel, the answers of one server, servers that fail."""
import os
import subprocess
import sys
import threading
import time

from clickhouse import WRITER, Cluster, Keeper, QueryError, Server, statements
from fleet import FleetLab, ask
from harness import ROOT, equal, fail, main, true

SQL = os.path.join(ROOT, "cli/push/sql/clickhouse")
SHARD, ALL = "passprobe_shard", "passprobe"
QUESTIONS = ("bound_by", "change_points", "coverage", "pass_percentiles", "pass_percentiles_fast", "slowest_passes",
             "stutters")


def text_of(name):
    with open(os.path.join(SQL, name), encoding="utf-8") as file:
        return file.read()


def set_up(server, schema=""):
    """Make the tables of a server of the cluster, as distributed.sql says. @param schema SQL in place of schema-1.sql"""
    for database in (SHARD, ALL):
        server.query(f"CREATE DATABASE IF NOT EXISTS {database}")
    for statement in statements(schema or text_of("schema-1.sql")):
        server.query(statement, database=SHARD)
    if server.value("SELECT count() FROM passprobe_schema", database=SHARD) == "0":
        server.query("INSERT INTO passprobe_schema (version) VALUES (1)", database=SHARD)
    for statement in statements(text_of("distributed.sql")):
        server.query(statement, database=ALL)


def push_in_parallel(lab, servers, paths, *words):
    """Push a share of the sessions through each server at the same time. @return the processes, which run."""
    share = -(-len(paths) // len(servers))
    return [subprocess.Popen([lab.passprobe, "push", *words, server.url(ALL), *paths[i * share:(i + 1) * share]],
                             env=lab.environment(PASSPROBE_PUSH_PASSWORD=server.password), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for i, server in enumerate(servers)]


def finish(processes):
    """Wait for pushes, which must succeed."""
    for process in processes:
        output, _ = process.communicate(timeout=600)
        equal(process.returncode, 0, f"push: {output[-3000:]}")


def rows_of(server, database=ALL):
    """How many rows there are, and sums that change if one is missing or twice."""
    ask_for = ("SELECT count(), uniqExact(session_id), sum(frames), sum(passes) FROM sessions",
               "SELECT count(), uniqExact(session_id), sum(cityHash64(session_id, frame)) FROM frames",
               "SELECT count(), uniqExact(session_id), sum(cityHash64(session_id, frame, pass)) FROM passes",
               "SELECT count(), uniqExact(session_id), uniqExact(pass_id) FROM pass_names",
               "SELECT count(), uniqExact(session_id) FROM counters_missing")
    return [server.rows(text, database=database) for text in ask_for]


def one_server(lab, paths):
    """The rows and the answers of one server that has all sessions."""
    with Server(lab.path("one")) as server:
        lab.push(server, paths, database="fleet")
        return rows_of(server, "fleet"), {name: ask(server, name, database="fleet") for name in QUESTIONS}


def alike(got, want, what):
    """Demand the same rows; numbers may differ in their last places, and t-digests a little."""
    equal(len(got), len(want), f"rows of {what}")
    for one, other in zip(got, want):
        equal(set(one), set(other), f"columns of {what}")
        for key, value in other.items():
            if isinstance(value, float):
                share = 0.03 if what.endswith("_fast") else 1e-9
                true(abs(one[key] - value) <= share * abs(value) + 1e-6, f"{what}, {key}: {one[key]}, one server: {value}")
            else:
                equal(one[key], value, f"{what}, {key}")


def case_same_answers(lab):
    """Three servers that were filled in parallel, some sessions through two of them, answer as one server does."""
    paths = lab.make(sessions=120, builds=8)
    rows, answers = one_server(lab, paths)
    with Cluster(lab.path("cluster"), shards=3) as cluster:
        for server in cluster.servers:
            set_up(server)
        finish(push_in_parallel(lab, cluster.servers, paths + paths[:20]))
        parts = [int(server.value("SELECT count() FROM sessions", database=SHARD)) for server in cluster.servers]
        print(f"sessions on each server: {parts}")
        equal(sum(parts), len(paths), "sessions on all servers")
        true(min(parts) > len(paths) / 6, f"each server has its share: {parts}")
        for server in cluster.servers:
            equal(rows_of(server), rows, "rows of all servers")
            for name in QUESTIONS:
                key = lambda row: [str(row.get(k)) for k in ("gpu", "driver", "build", "session_id", "pass_id", "event")]
                alike(sorted(ask(server, name, database=ALL), key=key), sorted(answers[name], key=key), name)


def case_killed(lab):
    """A server is killed while sessions are pushed, and starts again: nothing is lost, nothing is there twice."""
    paths = lab.make(sessions=60, builds=8)
    rows, _ = one_server(lab, paths)
    with Cluster(lab.path("cluster"), shards=2) as cluster:
        first, second = cluster.servers
        for server in cluster.servers:
            set_up(server)
        processes = push_in_parallel(lab, [first, first], paths)
        end = time.monotonic() + 120
        while int(second.value("SELECT count() FROM stored_sessions", database=SHARD)) < 5:
            true(time.monotonic() < end, "sessions arrive at the second server")
            true(any(process.poll() is None for process in processes), "the pushes have not ended")
            time.sleep(0.02)
        second.kill()
        had = first.value("SELECT count() FROM stored_sessions", database=SHARD)
        starter = threading.Timer(2.0, second.start)
        starter.start()
        finish(processes)
        starter.join()
        print(f"killed when the first server had {had} sessions")
        for server in cluster.servers:
            lab.run([lab.passprobe, "push", "--clean-up", server.url(SHARD)], PASSPROBE_PUSH_PASSWORD=server.password)
        for server in cluster.servers:
            equal(rows_of(server), rows, "rows after the kill")


def case_shard_down(lab):
    """A server is down: a question fails and says so, or answers from the others if this was asked for."""
    paths = lab.make(sessions=40, builds=8)
    with Cluster(lab.path("cluster"), shards=2) as cluster:
        first, second = cluster.servers
        for server in cluster.servers:
            set_up(server)
        finish(push_in_parallel(lab, cluster.servers, paths))
        here = int(first.value("SELECT count() FROM sessions", database=SHARD))
        second.stop()
        try:
            ask(first, "bound_by", database=ALL)
            fail("a question was answered without one of the servers")
        except QueryError as error:
            true(str(second.ports.native) in error.text, f"the message names the server: {error.text}")
        some = ask(first, "bound_by", database=ALL, user=WRITER, skip_unavailable_shards=1)
        equal(sum(int(row["sessions"]) for row in some), here, "sessions of the server that is there")
        second.start()
        equal(sum(int(row["sessions"]) for row in ask(first, "bound_by", database=ALL)), len(paths), "all sessions")


def case_replicated(lab):
    """Two servers hold the same rows: one is killed, and the other one has all of them."""
    paths = lab.make(sessions=20, builds=8)
    rows, _ = one_server(lab, paths)
    sql = lab.path("replicated.sql")
    subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tools/gen_replicated_sql.py"), sql,
                    os.path.join(SQL, "schema-1.sql")], check=True)
    with open(sql, encoding="utf-8") as file:
        schema = file.read()
    with Keeper(lab.path("keeper")) as keeper, \
            Cluster(lab.path("cluster"), shards=1, replicas=2, keepers=[keeper.port]) as cluster:
        first, second = cluster.servers
        for server in cluster.servers:
            set_up(server, schema)
        finish(push_in_parallel(lab, cluster.servers, paths))
        end = time.monotonic() + 120
        while any(server.value("SELECT sum(queue_size) FROM system.replicas") != "0" or
                  int(server.value("SELECT count() FROM stored_sessions", database=SHARD)) < len(paths)
                  for server in cluster.servers):
            true(time.monotonic() < end, "the servers have the same rows")
            time.sleep(0.1)
        equal(rows_of(first), rows, "rows of the first server")
        first.kill()
        equal(rows_of(second), rows, "rows of the second server after the kill")


if __name__ == "__main__":
    main(globals(), FleetLab)
