"""`passprobe report --openmetrics`: figures of a session for node_exporter's textfile collector and Prometheus. Where Debian
packages of both are installed, a real Prometheus scrapes them, and has those of an old session by back-filling."""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from command import ABOUT, CommandTest, frames, passes
from harness import Skip, unit_main

START = 1769903999
PROGRAM = {"executable": "/opt/ra\"ce\\x", "command": ["race"], "pid": 7, "start_realtime_ns": START * 10**9}
# docs/fleet.md has the same
BACK_FILL = ("awk '/_start_timestamp/ {t = $NF} {l[NR] = $0} END {for (i = 1; i <= NR; i++)"
             " print (l[i] ~ /^#/ ? l[i] : l[i] \" \" t)}' old.prom > old.om"
             " && promtool tsdb create-blocks-from openmetrics old.om data")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def get(url):
    """The answer of a server; None: it does not answer."""
    with contextlib.suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()
    return None


def wait_for(what, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError("nothing came in time")


class OpenMetrics(CommandTest):
    def made(self, name="made", count=600, **about):
        return self.session(frames(count), passes(count), name=name, about={
            **ABOUT, "program": PROGRAM, "tags": {"build": "1\n2", "scene": ""}, "dropped": {"frames": 3}, **about})

    def written(self, *args, file="race.prom"):
        run = self.run_command("report", "--openmetrics", file, *args)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        with open(os.path.join(self.cwd, file), encoding="utf-8") as text:
            return text.read()

    def start(self, *words):
        process = subprocess.Popen(words, cwd=self.cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def serve(self, *words):
        """Start a server; once more where another program took its port meanwhile. @return its address."""
        for _ in range(5):
            address = f"127.0.0.1:{free_port()}"
            process = self.start(*words, f"--web.listen-address={address}")
            if wait_for(lambda: process.poll() is not None or get(f"http://{address}/metrics")) is not True:
                return address
        raise AssertionError(f"{words[0]} does not start")

    def test_few_series_with_the_figures_of_the_report(self):
        made = self.made()
        text = self.written(made)
        figures = json.loads(self.run_command("report", "--json", made).stdout)
        surface = figures["surfaces"][0]
        labels = 'program="ra\\"ce\\\\x",build="1?2",scene=""'
        for name, value in ((f"frame_time_seconds{{{labels},percentile=\"95\"}}", surface["times"]["frame_time"]["p95_ns"] / 1e9),
                            (f"frames_per_second{{{labels}}}", surface["fps"]),
                            (f"session_dropped_frames{{{labels}}}", 3),
                            (f"session_start_timestamp_seconds{{{labels}}}", START)):
            [line] = [line for line in text.splitlines() if line.startswith(f"passprobe_report_{name} ")]
            self.assertAlmostEqual(float(line.split()[-1]), value, delta=1e-9 * max(1, value))
        series = [line for line in text.splitlines() if not line.startswith("#")]
        self.assertLess(len(series), 30)
        self.assertEqual(len({line.rsplit(" ", 1)[0] for line in series}), len(series))
        self.assertTrue(text.endswith("# EOF\n"))

    def test_a_figure_that_is_not_known_has_no_series(self):
        text = self.written(self.session([{**frame, "gpu_time_ns": ""} for frame in frames(12)], about=ABOUT))
        self.assertIn("passprobe_report_frame_time_seconds{", text)
        self.assertNotIn("passprobe_report_gpu_time_seconds{", text)
        self.assertNotIn("nan", text.lower().replace("unknown", ""))

    def test_the_file_is_replaced_in_one_step(self):
        first = self.written(self.made())
        second = self.written(self.made("other", count=300))
        self.assertNotEqual(first, second)
        self.assertEqual(os.listdir(self.cwd), ["race.prom"])
        run = self.run_command("report", "--openmetrics", "race.txt", self.made("third"))
        self.assertEqual((run.returncode, os.listdir(self.cwd)), (125, ["race.prom"]))
        self.assert_one_line(run.stderr, ".prom")
        run = self.run_command("report", "--openmetrics", "no/such/x.prom", self.made("fourth"))
        self.assertEqual(run.returncode, 125)

    def test_promtool_takes_it(self):
        if not shutil.which("promtool"):
            raise Skip("promtool is not installed (Debian's package prometheus)")
        run = subprocess.run(["promtool", "check", "metrics"], input=self.written(self.made()), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_prometheus_has_the_figures(self):
        for tool in ("prometheus", "prometheus-node-exporter", "promtool"):
            if not shutil.which(tool):
                raise Skip(f"{tool} is not installed (Debian's packages prometheus, prometheus-node-exporter)")
        made = self.made()
        text = self.written(made, file="old.prom")
        subprocess.run(["sh", "-c", BACK_FILL], cwd=self.cwd, check=True, stdout=subprocess.DEVNULL)
        os.mkdir(os.path.join(self.cwd, "live"))
        shutil.move(os.path.join(self.cwd, "old.prom"), os.path.join(self.cwd, "live/race.prom"))
        exporter = self.serve("prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                              "--collector.textfile.directory=live")
        with open(os.path.join(self.cwd, "prometheus.yml"), "w", encoding="utf-8") as out:
            json.dump({"scrape_configs": [{"job_name": "node", "scrape_interval": "1s", "static_configs": [
                {"targets": [exporter]}]}]}, out)  # JSON is YAML
        server = self.serve("prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                            "--storage.tsdb.retention.time=100y")

        def ask(**query):
            answer = get(f"http://{server}/api/v1/query?" + urllib.parse.urlencode(query))
            return json.loads(answer)["data"]["result"] if answer else None

        [line] = [line for line in text.splitlines() if 'frame_time_seconds{' in line and 'percentile="99"' in line]
        query = 'passprobe_report_frame_time_seconds{percentile="99"}'
        [live] = wait_for(lambda: ask(query=query))
        self.assertAlmostEqual(float(live["value"][1]), float(line.split()[-1]))
        self.assertEqual((live["metric"]["program"], live["metric"]["build"], live["metric"]["job"]), ('ra"ce\\x', "1?2", "node"))
        [old] = wait_for(lambda: ask(query=query, time=START + 1))
        self.assertAlmostEqual(float(old["value"][1]), float(line.split()[-1]))


if __name__ == "__main__":
    unit_main()
