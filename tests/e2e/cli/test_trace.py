"""`passprobe report --trace`: the trace has what the CSV files have, whatever order, names and damage they have."""
import json
import os
import subprocess
import time

from command import ABOUT, CommandTest, DRAW_HEADER, MS, PASS_HEADER, frames
from harness import Skip, need, unit_main
from trace_reader import Engine, read_trace

START = 5 * 10**9
CLOCKS = {"start_monotonic_ns": START, "start_boottime_ns": START + 7, "start_realtime_ns": 10**18}
SCHEMA_2 = {**ABOUT, "schema": 2, "surfaces": [{"name": "window 1", "device": 0}],
            "program": {"executable": "/opt/game", "pid": 99, "command": ["/opt/game", "--x"], **CLOCKS}}
HOSTILE = "a/\x1b[31m\"</script>;=\u202e"


def rows_of(count):
    rows = frames(count, device=0, surface=0, app="game", pid=99, passes="", draws="")
    for i, row in enumerate(rows):
        start = START + i * 10 * MS
        row.update({"frame_time_ns": 10 * MS, "cpu_start_ns": start, "cpu_busy_ns": 3 * MS + i, "cpu_wait_ns": 7 * MS - i,
                    "gpu_start_ns": start + MS, "gpu_time_ns": 8 * MS + i})
    return rows


def work(frame, place, start, time, **more):
    return {"frame": frame, "pass": place, "pass_id": f"{place:016x}", "level": "pass", "kind": "render",
            "name": f"pass {place}", "queue": "graphics 0", "gpu_start_ns": START + start, "gpu_time_ns": time, **more}


class Traces(CommandTest):
    def trace_of(self, *args, status=0):
        path = os.path.join(self.top, "out.pftrace")
        if os.path.exists(path):
            os.remove(path)
        run = self.run_command("report", "--trace", path, *args)
        self.assertEqual(run.returncode, status, run.stderr)
        self.said = run.stderr
        return read_trace(path)

    def chrome_of(self, *args):
        run = self.run_command("report", "--trace=chrome", "-", *args)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_memory_is_bounded(self):
        """Ten times as many rows with long texts take no more memory."""
        peak = []
        env = {"ASAN_OPTIONS": self.env["ASAN_OPTIONS"] + ":quarantine_size_mb=1"}  # AddressSanitizer keeps what was freed
        made = self.session(rows_of(2), about=SCHEMA_2)
        for count in (1_000, 10_000):
            self.write_csv(made, "passes.csv", PASS_HEADER,
                           [work(1, i, i * MS, MS, label="x", attachments=f"{i}" + 10_000 * "a") for i in range(count)])
            # in a small process: the maximum of a process includes what the one before it used
            run = self.run_command("-c", "import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); "
                                   "_, status, usage = os.wait4(pid, 0); print(status, usage.ru_maxrss)", self.install,
                                   "report", "--trace", f"out{count}", made, binary="python3", env=env)
            status, most = map(int, run.stdout.split())
            self.assertEqual(status, 0, run.stderr)
            peak.append(most)
        self.assertLess(peak[1], peak[0] + 48 * 1024)

    def test_frames(self):
        """A frame, what the CPU and the GPU did in it, and an arrow between both: exactly the times of the row. Rows may
        come in any order."""
        rows = rows_of(40)
        trace = self.trace_of(self.session(rows[20:] + rows[:20], about=SCHEMA_2))
        self.assertEqual(trace.process, (99, "game"))
        self.assertEqual(trace.clocks, {1: 10**18, 3: START, 6: START + 7})
        got = trace.slices["frames: window 1"]
        self.assertEqual([(s[0], s[1], s[2]) for s in got],
                         [(START + i * 10 * MS, 10 * MS, f"frame {i}") for i in range(40)])
        self.assertEqual(got[7][4]["bound_by"], "gpu")
        self.assertEqual(got[7][4]["gpu_busy_ns"], 8 * MS)
        self.assertEqual([s[:3] for s in trace.slices["CPU: window 1"]][14:16],
                         [(START + 70 * MS, 3 * MS + 7, "CPU busy"), (START + 73 * MS + 7, 7 * MS - 7, "present")])
        self.assertEqual(trace.slices["GPU: window 1"][7][:3], (START + 71 * MS, 8 * MS + 7, "frame 7"))
        self.assertEqual(len(trace.flows), 40)
        self.assertEqual({tuple(sorted(ends)) for ends in trace.flows.values()},
                         {(("GPU: window 1", f"frame {i}"), ("frames: window 1", f"frame {i}")) for i in range(40)})
        self.assertEqual(trace.values["pipeline:vertex_shader_invocations"][0][1], 1200)
        # numbers of names are few: frames do not take those of draws and labels
        self.assertFalse([name for name in trace.names[2].values() if b"frame " in name[2][0]])

    def test_passes(self):
        """Passes have their queue, and what else the row says. Those that overlap have lanes. Regions of labels are as
        long as their work. An empty cell is nothing, and never 0."""
        passes = [work(1, 0, 10 * MS, 2 * MS, label="scene/trees", draws=4),
                  work(1, 1, 12 * MS, MS, label="scene/rocks\\/big"), work(1, 2, 14 * MS, MS, label="ui"),
                  work(1, 3, 11 * MS, 9 * MS, queue="compute 1", kind="compute"),
                  work(1, 4, 12 * MS, MS, queue="compute 1", kind="compute"),
                  {"frame": 1, "pass": 5, "kind": "render", "name": "without time"},
                  work(2, 0, 20 * MS, 2 * MS, label="scene/trees")]
        trace = self.trace_of(self.session(rows_of(3), passes, about=SCHEMA_2))
        self.assertEqual([s[:4] for s in trace.slices["graphics 0"]],
                         [(START + 10 * MS, 2 * MS, "pass 0", "render"), (START + 12 * MS, MS, "pass 1", "render"),
                          (START + 14 * MS, MS, "pass 2", "render"), (START + 20 * MS, 2 * MS, "pass 0", "render")])
        self.assertEqual(trace.slices["graphics 0"][0][4],
                         {"frame": "1", "pass": "0", "pass_id": "0" * 16, "level": "pass", "draws": "4",
                          "gpu_time_ns": str(2 * MS), "label": "scene/trees"})
        self.assertEqual([s[2] for s in trace.slices["compute 1"]], ["pass 3"])
        self.assertEqual([s[2] for s in trace.slices["compute 1 (2)"]], ["pass 4"])
        self.assertEqual([s[:3] for s in trace.slices["labels: graphics 0"]],
                         [(START + 10 * MS, 3 * MS, "scene"), (START + 14 * MS, MS, "ui"),
                          (START + 20 * MS, 2 * MS, "scene")])
        self.assertEqual([s[:3] for s in trace.slices["labels: graphics 0, depth 2"]],
                         [(START + 10 * MS, 2 * MS, "trees"), (START + 12 * MS, MS, "rocks/big"),
                          (START + 20 * MS, 2 * MS, "trees")])
        self.assertIn("1 passes or draws have no GPU time", self.said)

    def test_draws_and_stacks(self):
        """A draw has its call and the functions that made it, from main on; marks are moments."""
        about = {**SCHEMA_2, "marks": [{"at_ns": START + 5, "frame": 0, "label": HOSTILE}]}
        session = self.session(rows_of(2), [work(0, 0, MS, 3 * MS, stack=2)], about=about)
        self.write_csv(session, "draws.csv", DRAW_HEADER, [
            {"frame": 0, "pass": 0, "draw": i, "draw_id": f"{i:016x}", "call": "glDrawArrays", "stack": 1 + i % 2,
             "gpu_start_ns": START + MS + i * MS, "gpu_time_ns": MS // 2} for i in range(3)])
        self.write_csv(session, "modules.csv", "module,path,build_id,load_bias,start,end,loaded_ns,unloaded_ns,debuglink",
                       ["0,/opt/game,00ff10,0x1000,0x1000,0x9000,1,,\r\n"])
        self.write_csv(session, "stacks.csv", "stack,truncated,frames",
                       ["1,,0+0x10;0+0x20;0+0x30\r\n", "2,,0+0x20;0+0x30\r\n"])
        self.write_csv(session, "symbols.csv", "module,offset,function,file,line,column,inlined,start",
                       ["0,0x10,inner,a.c,1,,1,\r\n", "0,0x10,draw,a.c,9,,0,\r\n", "0,0x20,scene,a.c,20,,0,\r\n",
                        "0,0x30,main,a.c,30,,0,\r\n"])
        trace = self.trace_of(session)
        self.assertEqual([s[2] for s in trace.slices["draws"]], ["glDrawArrays"] * 3)
        self.assertEqual([stack for _, stack in trace.stacks["draws"]],
                         [["main", "scene", "draw", "inner"], ["main", "scene"], ["main", "scene", "draw", "inner"]])
        self.assertEqual(trace.stacks["calls that began passes"], [(START + MS, ["main", "scene"])])
        self.assertEqual(trace.moments["marks"], [(START + 5, HOSTILE)])
        draws = [e for e in self.chrome_of(session) if e.get("cat") == "draw"]
        self.assertEqual(draws[0]["args"]["stack"], ["main", "scene", "draw", "inner"])

    def test_chrome(self):
        """Chrome's JSON has the same slices, exact to the nanosecond."""
        rows = rows_of(5)
        session = self.session(rows, [work(1, 0, 10 * MS + 1, 2 * MS + 3, name=HOSTILE)], about=SCHEMA_2)
        events = self.chrome_of(session)
        threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
        slices = [(threads[e["tid"]], round(e["ts"] * 1000), round(e["dur"] * 1000), e["name"])
                  for e in events if e["ph"] == "X"]
        self.assertIn(("graphics 0", START + 10 * MS + 1, 2 * MS + 3, HOSTILE), slices)
        self.assertEqual(sum(s[2] for s in slices if s[0].startswith("frames")), 50 * MS)
        self.assertEqual({e["ph"] for e in events}, {"M", "X", "C", "s", "f"})
        self.assertEqual(len(self.chrome_of("--frames", "2-3", session)) < len(events), True)

    def test_window(self):
        """--frames, --time and --between choose frames, with their passes."""
        about = {**SCHEMA_2, "marks": [{"at_ns": START + 15 * MS, "frame": 1, "label": "a"},
                                       {"at_ns": START + 35 * MS, "frame": 3, "label": "b"}]}
        session = self.session(rows_of(6), [work(i, 0, i * 10 * MS, MS) for i in range(6)], about=about)
        for option, value, names in (("--frames", "2-3", [2, 3]), ("--time", "0.02-0.04", [2, 3]),
                                     ("--between", "a,b", [2, 3])):
            trace = self.trace_of(option, value, session)
            self.assertEqual([s[2] for s in trace.slices["frames: window 1"]], [f"frame {i}" for i in names])
            self.assertEqual(len(trace.slices["graphics 0"]), len(names))
        run = self.run_command("report", "--trace", "x", "--between", "a,c", session)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "a,c")
        self.assertFalse(os.path.exists(os.path.join(self.cwd, "x")))

    def test_slices_meet_in_doubles(self):
        """Begin and duration of each frame add up to the next begin, also relative to the first one, as Speedscope adds."""
        for name, start in (("soon", 5 * 10**9), ("hours", 60_281_166_216_746), ("days", 5_000_000_000_000_001)):
            rows = rows_of(200)
            for i, row in enumerate(rows):
                row.update({"cpu_start_ns": start, "frame_time_ns": 3 * MS + 77 * i})
                start += row["frame_time_ns"]
            events = self.chrome_of(self.session(rows, about=SCHEMA_2, name=name))
            slices = [one for one in events if one.get("cat") == "frame" and one["ph"] == "X"]
            slices = sorted((one for one in slices if one["tid"] == slices[0]["tid"]), key=lambda one: one["ts"])
            self.assertEqual(len(slices), 200)
            zero = slices[0]["ts"]
            wrong = [one["name"] for one, after in zip(slices, slices[1:])
                     if one["ts"] + one["dur"] != after["ts"] or one["ts"] - zero + one["dur"] != after["ts"] - zero]
            self.assertEqual(wrong, [], name)

    def test_errors(self):
        session = self.session(rows_of(2), about=SCHEMA_2)
        there = os.path.join(self.top, "there")
        with open(there, "wb") as file:
            file.write(b"SQLite format 3\0")
        for args, *parts in ((("--trace=chrome",), "--trace", "FILE"), (("--trace", there, session), there, "it holds a session"),
                             (("--trace", os.path.join(session, "x"), session), "folder is a session"),
                             (("--trace", "/no/x", session), "/no/x"), (("--trace", "x", "/none"), "/none"),
                             (("--trace", "x", "--json", session), "--json", "--trace"),
                             (("--trace", "/dev/full/x", session), "/dev/full/x")):
            run = self.run_command("report", *args)
            self.assertEqual(run.returncode, 125, args)
            self.assert_one_line(run.stderr, *parts)
        with open(there, "rb") as file:
            self.assertEqual(file.read(), b"SQLite format 3\0")
        self.assertEqual(os.listdir(self.cwd), [])

    def test_damage(self):
        """A cut session gives what is there, with its damage; forged rows do no harm."""
        passes = [work(i, 0, i * 10 * MS, MS) for i in range(9)]
        about = {**SCHEMA_2, "counts": {"frames": 9, "passes": 9, "draws": 0, "labels": 0}}
        session = self.session(rows_of(9), passes[:4], about=about)
        trace = self.trace_of(session, status=125)
        self.assertEqual(len(trace.slices["graphics 0"]), 4)
        self.assertIn("passes.csv", self.said)
        forged = [work(0, i, 0, 5 * MS, queue=f"q{i}", name="n" * 5000) for i in range(400)]
        forged += [work(1, 0, -START - 5, MS), work(1, 1, 0, 2**63), work(1, 2, 0, -5)]
        forged += [work(2, i, 25 * MS, MS) for i in range(40)]
        trace = self.trace_of(self.session(rows_of(9), forged, about=SCHEMA_2, name="forged"))
        self.assertIn("156 slices are left out", self.said)

    def test_engine(self):
        """Perfetto's own reader finds no fault in a trace, and the same sums."""
        engine = Engine(os.environ.get("PP_TRACE_ENGINE") or os.path.join(os.path.dirname(self.install), "engine"))
        passes = [work(i, k, i * 10 * MS + k * MS, MS // 2 + k, label=f"scene/l{k}", queue=f"queue {k % 2}")
                  for i in range(20) for k in range(6)]
        session = self.session(rows_of(20), passes, about=SCHEMA_2)
        path = os.path.join(self.top, "out.pftrace")
        self.assertEqual(self.run_command("report", "--trace", path, session).returncode, 0)
        sums = ("select t.name, count(*), sum(dur) from slice s join track t on s.track_id = t.id group by 1")
        faults, slices, values, flows = engine.query(
            path, "select name, value from stats where severity <> 'info' and value > 0", sums,
            "select count(*), sum(value) from counter c join counter_track t on c.track_id = t.id "
            "where t.name = 'frame_time_ns'", "select count(*) from flow")
        self.assertEqual(faults, [])
        slices = {name: (count, total) for name, count, total in slices}
        for k in range(2):
            self.assertEqual(slices[f"queue {k}"],
                             (60, sum(p["gpu_time_ns"] for p in passes if p["queue"] == f"queue {k}")))
        self.assertEqual(slices["frames: window 1"], (20, 200 * MS))
        self.assertEqual((values, flows), ([[20, 200 * MS]], [[20]]))
        chrome = os.path.join(self.top, "out.json")
        self.assertEqual(self.run_command("report", "--trace=chrome", chrome, session).returncode, 0)
        faults, total = engine.query(chrome, "select name, value from stats where severity <> 'info' and value > 0",
                                     "select count(*), sum(dur) from slice where name like 'pass %'")
        self.assertEqual((faults, total), ([], [[120, sum(p["gpu_time_ns"] for p in passes)]]))

    def test_merge(self):
        """Samples of `perf` with the same clock are in the frames during which they were taken."""
        engine = Engine(os.environ.get("PP_TRACE_ENGINE") or os.path.join(os.path.dirname(self.install), "engine"))
        need("perf")
        begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        run = subprocess.run(["perf", "record", "-q", "-F", "999", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock", "-o", "perf.data", "--", "sh",
                              "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"], cwd=self.top, env=self.env,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode:
            raise Skip(f"perf cannot record here: {run.stdout.strip()}")
        row = dict(rows_of(1)[0], cpu_start_ns=begin, gpu_start_ns=begin,
                   frame_time_ns=time.clock_gettime_ns(time.CLOCK_MONOTONIC) - begin)
        clocks = {"start_monotonic_ns": begin,
                  "start_boottime_ns": begin + time.clock_gettime_ns(time.CLOCK_BOOTTIME)
                  - time.clock_gettime_ns(time.CLOCK_MONOTONIC), "start_realtime_ns": time.time_ns()}
        session = self.session([row], about={**SCHEMA_2, "program": {**SCHEMA_2["program"], **clocks}})
        run = self.run_command("report", "--trace", os.path.join(self.top, "gpu.pftrace"), session)
        self.assertEqual(run.returncode, 0, run.stderr)
        subprocess.run(["tar", "cf", "both.tar", "gpu.pftrace", "perf.data"], cwd=self.top, check=True)
        samples, inside = engine.query(
            os.path.join(self.top, "both.tar"), "select count(*) from perf_sample",
            "select count(*) from perf_sample p, slice s where s.name = 'frame 0' and p.ts between s.ts and s.ts + s.dur")
        self.assertGreater(samples[0][0], 20)
        self.assertEqual(inside, samples)


if __name__ == "__main__":
    unit_main()
