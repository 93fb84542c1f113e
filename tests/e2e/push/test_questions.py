"""The questions of cli/push/sql/clickhouse/questions, asked of a real server that `passprobe push` filled, against what
`passprobe report` and passprobe's own statistics say of the same sessions."""
import json
import math
import os
import statistics
import urllib.parse
from collections import defaultdict

from clickhouse import READER, Server, find_tool
from duckdb_reader import DuckDB
from fleet import QUESTIONS, FleetLab, Lake, ask, by, near, snippet
from harness import ROOT, equal, main, true


def times_of(path):
    """GPU times of the passes of a session that count, less the bias, by pass_id."""
    with open(os.path.join(path, "session.json"), encoding="utf-8") as file:
        bias = json.load(file)["devices"][0]["bracket_bias"][0]["median_ns"]
    ret = defaultdict(list)
    if os.path.exists(os.path.join(path, "passes.csv")):
        with open(os.path.join(path, "passes.csv"), encoding="utf-8", newline="") as file:
            columns = file.readline().rstrip("\r\n").split(",")
            at = [columns.index(name) for name in ("frame", "pass_id", "gpu_time_ns")]
            for line in file:
                cells = line.split(",")
                if cells[at[0]] != "0":
                    ret[cells[at[1]]].append(float(cells[at[2]]) - bias)
    return ret


# cases of questions: each gets the lab, the server, the folders and what is known of the sessions


def check_pass_percentiles(lab, server, paths, about):
    per_session, times = defaultdict(list), defaultdict(list)
    for session, path in zip(about, paths):
        for row in session["surface"]["passes"]:
            per_session[session["build"], row["id"]].append(row)
        for pass_id, values in times_of(path).items():
            times[session["build"], pass_id] += values
    rows = by(ask(server, "pass_percentiles"), "build", "pass_id")
    equal(set(rows), set(per_session), "passes of each build")
    fast = rows if isinstance(server, Lake) else by(ask(server, "pass_percentiles_fast"), "build", "pass_id")
    equal(set(fast), set(rows), "passes of the roll-ups")
    wanted = [(key, p) for key in rows for p in (50, 95, 99)]
    overall = dict(zip(wanted, lab.oracle([f"quantile {p / 100} " + " ".join(map(repr, times[key])) for key, p in wanted])))
    for key, row in rows.items():
        equal(int(row["sessions"]), len(per_session[key]), f"sessions of {key}")
        equal(int(row["times"]), len(times[key]), f"times of {key}")
        equal(row["name"], per_session[key][0]["name"], f"name of {key}")
        for p in (50, 95, 99):
            want = statistics.median(one[f"p{p}_ns"] for one in per_session[key])
            near(row[f"sessions_p{p}_ns"], want, f"median over sessions of p{p} of {key}", least=0.51)
            near(fast[key][f"sessions_p{p}_ns"], want, f"the same of the roll-up of {key}", share=0.05)
            near(row[f"frames_p{p}_ns"], float(overall[key, p][0]), f"p{p} over all frames of {key}", least=0.51)
            near(fast[key][f"frames_p{p}_ns"], float(overall[key, p][0]), f"the same of the roll-up of {key}", share=0.05)
    some = ask(server, "pass_percentiles", ("build", about[0]["build"]), ("gpu", about[0]["gpu"]), ("scene", about[0]["scene"]))
    alike = [s for s in about if all(s[key] == about[0][key] for key in ("build", "gpu", "scene"))]
    counts = defaultdict(int)
    for session in alike:
        for row in session["surface"]["passes"]:
            counts[row["id"]] += 1
    equal({row["pass_id"]: int(row["sessions"]) for row in some}, dict(counts), "sessions of one build, GPU and scene")


def check_slowest_passes(_lab, server, _paths, about):
    costs, p99 = defaultdict(list), defaultdict(list)
    for session in about:
        for row in session["surface"]["passes"]:
            costs[session["gpu"], row["id"]].append(row["gpu_ns_per_frame"])
            p99[session["gpu"], row["id"]].append(row["p99_ns"])
    rows = ask(server, "slowest_passes")
    shares = defaultdict(float)
    for gpu in {session["gpu"] for session in about}:
        ranked = sorted((key for key in costs if key[0] == gpu), key=lambda key: -statistics.median(costs[key]))
        equal([row["pass_id"] for row in rows if row["gpu"] == gpu], [key[1] for key in ranked[:10]], f"order on {gpu}")
    for row in rows:
        key = row["gpu"], row["pass_id"]
        near(row["frame_ns"], statistics.median(costs[key]), f"cost of {key}", least=0.51)
        near(row["sessions_p99_ns"], statistics.median(p99[key]), f"p99 of {key}", least=0.51)
        shares[row["gpu"]] += row["share_percent"]
    true(all(80 < share <= 100.001 for share in shares.values()), f"shares: {dict(shares)}")


def check_bound_by(_lab, server, _paths, about):
    want = defaultdict(lambda: defaultdict(int))
    for session in about:
        for word, frames in session["surface"]["bound_by"].items():
            want[session["gpu"], session["driver"]][word] += frames
        want[session["gpu"], session["driver"]]["sessions"] += 1
    rows = by(ask(server, "bound_by"), "gpu", "driver")
    equal(set(rows), set(want), "GPUs and drivers")
    for key, row in rows.items():
        for word in ("cpu", "gpu", "present", "sync", "sleep"):
            equal(int(row[word + "_frames"]), want[key][word], f"{word} frames of {key}")
        equal(int(row["all_frames"]), sum(want[key].values()) - want[key]["sessions"], f"frames of {key}")
        equal(int(row["sessions"]), want[key]["sessions"], f"sessions of {key}")
        near(sum(row[word + "_percent"] for word in ("cpu", "gpu", "present", "sync", "sleep")), 100, f"shares of {key}")


def check_coverage(_lab, server, _paths, about):
    want, of = defaultdict(int), defaultdict(int)
    for session in about:
        of[session["gpu"], session["driver"]] += 1
        for place, event, reason in session["missing"]:
            want[session["gpu"], session["driver"], place, event, reason] += not place.endswith(".csv")
    want = {key: count for key, count in want.items() if count}
    true(any(place.endswith(".csv") for session in about for place, _, _ in session["missing"]), "columns with empty cells")
    rows = by(ask(server, "coverage"), "gpu", "driver", "place", "event", "reason")
    equal({key: int(row["sessions"]) for key, row in rows.items()}, dict(want), "sessions without a counter")
    for key, row in rows.items():
        near(row["percent"], 100 * want[key] / of[key[:2]], f"share of {key}")


SOFTWARE = ("llvmpipe", "softpipe", "lavapipe", "swrast", "swiftshader", "software rasterizer")


def numbers_of(about, builds, stat):
    """A statistic of each session's passes, by GPU, scene and pass."""
    ret = defaultdict(list)
    for session in about:
        if session["build"] in builds:
            for row in session["surface"]["passes"]:
                ret[session["gpu"], session["scene"], row["id"]].append(row[stat + "_ns"])
    return ret


def spread(olds, news):
    """Standard deviation of the logarithms, of both sides together."""
    squares = sum(statistics.variance(map(math.log, side)) * (len(side) - 1) for side in (olds, news))
    return math.sqrt(squares / (len(olds) + len(news) - 2))


def leave_out(values):
    """The numbers without one that is far from all others, as diff has it."""
    for one in sorted(values) if len(values) >= 5 else ():
        others = [value for value in values if value != one]
        far = len(others) == len(values) - 1 and min(abs(one - other) for other in others)
        if far and far > 0.02 * min(others) and far > 5 * (max(others) - min(others)):
            return others
    return values


def sides_of(about, builds):
    """The numbers that are compared, by GPU, scene and pass: both sides, and their statistic."""
    median = [numbers_of(about, side, "p50") for side in builds]
    least = [numbers_of(about, side, "p5") for side in builds]
    software = {s["gpu"] for s in about if any(name in (s["gpu"] + s["driver"]).lower() for name in SOFTWARE)}
    ret = {}
    for key in sorted(set(median[0]) | set(median[1])):
        few = min(len(side[key]) for side in median) < 3
        p50, p5 = [leave_out(side[key]) for side in median], [leave_out(side[key]) for side in least]
        take = key[0] in software and not few and spread(*p50) > max(0.01, spread(*p5) / 0.75)
        ret[key] = (p5, "p5") if take else (p50, "p50")
    return ret


def changes_of(lab, sides):
    """What passprobe's statistics say of the rows of each GPU and scene: change, interval, p and verdict, and q of all rows."""
    change = {}
    for group in sorted({key[:2] for key in sides}):
        keys = [key for key, (side, _) in sides.items() if key[:2] == group and side[0] and side[1]]
        words = [f"{len(olds)} {len(news)} " + " ".join(map(repr, olds + news)) for olds, news in (sides[k][0] for k in keys)]
        [answer] = lab.oracle(["rows " + " ".join(words)])
        change.update(zip(keys, (one.strip().split(" ", 4) for one in " ".join(answer).split(";"))))
    tested = [key for key in change if min(map(len, sides[key][0])) >= 3]
    q = lab.oracle(["adjust " + " ".join(change[key][3] for key in tested)])[0]
    return change, dict(zip(tested, map(float, q)))


def check_regressions(lab, server, _paths, about):
    """Builds before and after the planted change of a pass that all GPUs have."""
    builds, planted = lab.truth["builds"], lab.truth["planted"][0]
    at = builds.index(planted["since"])
    olds, news = builds[at - 4:at], builds[at:at + 4]
    rows = by(ask(server, "regressions", *[("old", b) for b in olds], *[("new", b) for b in news]), "gpu", "scene", "pass_id")
    verdicts = compare_regressions(lab, rows, sides_of(about, (olds, news)))
    print(f"regressions: {verdicts}")
    true(verdicts["slower", planted["pass"]] >= 2, f"the planted change is found: {verdicts}")
    true(verdicts["slower", planted["pass"]] >= 0.8 * sum(n for (word, _), n in verdicts.items() if word == "slower"),
         f"little else is: {verdicts}")


def compare_regressions(lab, rows, sides):
    """Demand that the rows are what passprobe's statistics say of these sides. @return Rows of each verdict and name."""
    change, q = changes_of(lab, sides)
    equal(set(rows), set(sides), "GPUs, scenes and passes")
    together, verdicts = defaultdict(lambda: [0, 0]), defaultdict(int)
    for key, (side, _) in sides.items():
        for i in (0, 1):
            together[key[:2]][i] += statistics.geometric_mean(side[i]) if side[i] else 0
    for key, (side, stat) in sides.items():
        row, what = rows[key], f"{key}, {len(side[0])} and {len(side[1])} sessions"
        values = [statistics.geometric_mean(one) if one else 0 for one in side]
        equal((int(row["old_sessions"]), int(row["new_sessions"])), (len(side[0]), len(side[1])), f"sessions of {what}")
        equal(row["stat"], stat, f"statistic of {what}")
        word = "new" if not side[0] else "gone" if not side[1] else change[key][4]
        if key in q:
            want = change[key]
            near(row["old_ns"], values[0], f"old value of {what}", least=0.51)
            near(row["change_percent"], 100 * float(want[0]), f"change of {what}", least=1e-4)
            near(row["low_percent"], 100 * float(want[1]), f"low end of {what}", share=2e-3, least=5e-3)
            near(row["high_percent"], 100 * float(want[2]), f"high end of {what}", share=2e-3, least=5e-3)
            near(row["p"], float(want[3]), f"p of {what}", least=1e-5)
            near(row["q"], q[key], f"q of {what}", least=1e-4)
            word = "unclear" if word in ("slower", "faster") and q[key] > 0.05 else word
            word = "small" if max(values) < min(50e3, 0.005 * max(together[key[:2]])) else word
        equal(row["verdict"], word, f"verdict of {what}")
        verdicts[word, row["name"]] += 1
    return verdicts


def check_change_points(lab, server, _paths, about):
    gpu, scene = max({(s["gpu"], s["scene"]) for s in about}, key=lambda one: sum((s["gpu"], s["scene"]) == one for s in about))
    series = defaultdict(lambda: defaultdict(list))
    names = {}
    for session in about:
        if (session["gpu"], session["scene"]) == (gpu, scene):
            for row in session["surface"]["passes"]:
                series[row["id"]][session["build"]].append(row["p50_ns"])
                names[row["id"]] = row["name"]
    rows = ask(server, "change_points", ("gpu", gpu), ("scene", scene))
    true(rows, "change points")
    for row in rows:
        equal((row["gpu"], row["scene"]), (gpu, scene), "what was asked for")
    for planted in lab.truth["planted"]:
        if planted["gpu"] not in gpu:
            continue
        [pass_id] = [key for key, name in names.items() if name == planted["pass"]]
        points = sorted(series[pass_id])
        found = [row["build"] for row in rows if row["pass_id"] == pass_id]
        [words] = lab.oracle(["trend " + " ".join(repr(statistics.median(series[pass_id][b])) for b in points)])
        print(f"{planted['pass']}: SQL {found}, diff --trend {[points[int(i)] for i in words if i]}, truth {planted['since']}")
        true(found == [planted["since"]], f"{planted['pass']}: {found}")
        row = [row for row in rows if row["pass_id"] == pass_id][0]
        near(row["change_percent"], 100 * (planted["factor"] - 1), f"change of {planted['pass']}", least=4)
        true(row["p"] <= 0.001, f"p of {planted['pass']}: {row['p']}")
    true(len(rows) <= 5, f"nothing else changed: {rows}")


def check_stutters(_lab, server, _paths, about):
    want = {}
    for session in about:
        for row in session["surface"]["slow_frames"]:
            want[session["id"], row["frame"]] = row
    rows = by(ask(server, "stutters"), "session_id", "frame")
    true(len(want) > 10, f"enough slow frames: {len(want)}")
    equal(set(rows), set(sorted(want, key=lambda k: -(want[k]["frame_time_ns"] - want[k]["usual_ns"]))[:100]), "slow frames")
    kinds = {"pass": "gpu", "cpu_work": "cpu", "cpu_sleep": "cpu", "cpu_own": "cpu"}
    alike = 0
    for key, row in rows.items():
        near(row["frame_time_ns"], want[key]["frame_time_ns"], f"time of {key}")
        near(row["usual_ns"], want[key]["usual_ns"], f"usual time of {key}", least=0.51)
        causes = [cause["kind"] for cause in want[key]["causes"] if cause["explains_time"]]
        alike += kinds.get(causes[0], causes[0]) == row["cause"] if causes else row["cause"] == "unknown"
    true(alike >= 0.95 * len(rows), f"causes that agree: {alike} of {len(rows)}")


def diff_rows(lab, server, words):
    """Rows of `diff --json` of passes, and of the frame's GPU time, by kind, name and statistic."""
    done = lab.run([lab.passprobe, "diff", "--json", "--force", *words], check=False, timeout=300,
                   PASSPROBE_PUSH_PASSWORD=server.password)
    true(done.returncode in (0, 1), f"diff: {done.stderr}")
    answer = json.loads(done.stdout)
    rows = {(row["kind"], row["name"], row["stat"]): row for row in answer["surfaces"][0]["rows"]
            if row["kind"] == "pass" or row["name"] in ("gpu_time", "gpu_busy")}
    return rows, done.returncode


def check_diff(lab, server, paths, about):
    """`diff` of two addresses says what `diff` of the same sessions in folders says."""
    counts = defaultdict(int)
    for session in about:
        counts[session["gpu"], session["driver"]] += session["surface"]["passes"] != []
    (gpu, driver), _ = max(counts.items(), key=lambda item: item[1])
    builds, planted = lab.truth["builds"], lab.truth["planted"][0]
    at = builds.index(planted["since"])
    sides = [builds[at - 4:at], builds[at:at + 4]]
    folders = [[path for session, path in zip(about, paths) if session["build"] in side and session["surface"]["passes"]
                and (session["gpu"], session["driver"]) == (gpu, driver)] for side in sides]
    true(min(map(len, folders)) >= 3, f"enough sessions: {[len(one) for one in folders]}")
    common = "&gpu=" + urllib.parse.quote(gpu) + "&driver=" + urllib.parse.quote(driver)
    urls = [server.url(user=READER) + "?" + "&".join("build=" + one for one in side) + common for side in sides]
    want, want_status = diff_rows(lab, server, [*folders[0], "--", *folders[1]])
    got, status = diff_rows(lab, server, urls)
    equal(set(got), set(want), "rows")
    for key, row in want.items():
        equal(got[key]["verdict"], row["verdict"], f"verdict of {key}")
        for name in ("old", "new", "percent", "low_percent", "high_percent", "q"):
            if name == "q" and key[0] == "frame":
                continue  # rows of frames share their errors, and a database has fewer of them
            if row[name] is None:
                equal(got[key][name], None, f"{name} of {key}")
            else:
                near(got[key][name], row[name], f"{name} of {key}", share=1e-5, least=1.0 if name in ("old", "new") else 1e-4)
    equal(status, want_status, "exit status")
    check_diff_refusals(lab, server, common)


def check_diff_refusals(lab, server, common):
    """What an address must not have, and values that look like SQL."""
    base = server.url(user=READER)
    for query, word in (("?build=" + "x%27%29%20OR%201%3D1--" + common, "no session"), ("?host=a", "key=value pairs"),
                        ("?build=%zz", "key=value pairs"), ("", "choose one with gpu=")):
        done = lab.run([lab.passprobe, "diff", base + query, base + query], check=False,
                       PASSPROBE_PUSH_PASSWORD=server.password)
        equal(done.returncode, 125, f"exit status of {query}")
        true(word in done.stderr, f"{query}: {done.stderr}")
    done = lab.run([lab.passprobe, "diff", base, base], check=False, PASSPROBE_PUSH_PASSWORD="wrong")
    equal(done.returncode, 125, "exit status with a wrong password")
    true("wrong" not in done.stderr.replace(base, ""), f"the password is not printed: {done.stderr}")


def check_trend(lab, server, _paths, about):
    """A trend finds the planted change at its build."""
    gpu, driver, scene = max({(s["gpu"], s["driver"], s["scene"]) for s in about if s["surface"]["passes"]}, key=lambda one: sum(
        (s["gpu"], s["driver"], s["scene"]) == one for s in about))
    url = (server.url(user=READER) + "?gpu=" + urllib.parse.quote(gpu) + "&driver=" + urllib.parse.quote(driver) +
           "&scene=" + scene)
    done = lab.run([lab.passprobe, "diff", "--trend", "--json", url], check=False, PASSPROBE_PUSH_PASSWORD=server.password)
    equal(done.returncode, 0, f"trend: {done.stderr}")
    answer = json.loads(done.stdout)
    with_passes = {s["build"] for s in about if (s["gpu"], s["driver"], s["scene"]) == (gpu, driver, scene) and
                   s["surface"]["passes"]}
    equal([point["session"] for point in answer["points"]], sorted(with_passes), "points")


CHECKS = (check_pass_percentiles, check_slowest_passes, check_bound_by, check_coverage, check_regressions,
          check_change_points, check_stutters)


def case_server(lab):
    """All questions, of a server of ClickHouse."""
    paths = lab.make()
    about = lab.about(paths)
    with Server(lab.path("server")) as server:
        lab.push(server, paths)
        equal(int(server.value("SELECT count() FROM sessions")), len(paths), "sessions")
        for check in (*CHECKS, check_diff, check_trend):
            check(lab, server, paths, about)


def case_lake(lab):
    """The same of a folder, which DuckDB reads."""
    engine = DuckDB(os.path.join(lab.build, "duckdb_engine"))
    paths = lab.make()
    about = lab.about(paths)
    lab.run([lab.passprobe, "push", lab.path("lake"), *paths], timeout=600)
    for check in CHECKS:
        check(lab, Lake(lab.path("lake"), engine), paths, about)


def case_client(lab):
    """What docs/fleet.md says of clickhouse-client: a question about some builds, and one about everything."""
    find_tool("client")
    paths = lab.make(sessions=12, frames=30, builds=2)
    old, new = lab.truth["builds"][:2]
    some, everything = snippet("printf 'old"), snippet("printf 'all")
    sql = os.path.join(ROOT, "cli/push/sql")
    with Server(lab.path("server")) as server:
        lab.push(server, paths)
        connect = (f'client() {{ clickhouse-client --host 127.0.0.1 --port {server.ports.native} --user {READER} --password'
                   f' "$PASSWORD" "$@"; }}\ncd "{lab.scratch}" || exit 9\n')

        def run(text, name):
            text = text.replace("clickhouse-client", "client").replace("--database fleet", "--database default")
            text = text.replace("/usr/share/passprobe/sql", sql).replace("PrettyCompact", "JSON")
            text = text.replace("regressions.sql", name + ".sql").replace("1005", old).replace("1006", new)
            done = lab.run(["sh", "-c", connect + text], check=False, PASSWORD=server.password, HOME=lab.scratch)
            equal((done.returncode, done.stderr), (0, ""), text)
            return json.loads(done.stdout)["data"]

        rows = ask(server, "regressions", ("old", old), ("new", new))
        true(len(rows) > 3, f"rows of the question: {rows}")
        equal(run(some, "regressions"), rows, "the question of two builds")
        question = some[some.index("clickhouse-client"):]
        for name in sorted(os.path.splitext(file)[0] for file in os.listdir(QUESTIONS)):
            rows = ask(server, name)
            equal(run(everything + "\n" + question, name), rows, f"{name} of everything")
            true(rows or name in ("regressions", "change_points", "stutters"), f"{name} has rows")


if __name__ == "__main__":
    main(globals(), FleetLab)
