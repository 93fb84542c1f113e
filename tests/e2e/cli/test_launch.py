"""Starting applications: command line, environment, signals, exit statuses, and what cannot be started."""
import os
import signal
import shutil
import subprocess
import time
import unittest

from command import CommandTest
from harness import unit_main

COMMANDS = ("stat", "record", "report", "list", "doctor")


class Help(CommandTest):
    def test_help_of_everything(self):
        for args in (["--help"], ["-h"], ["help"], *(["help", c] for c in COMMANDS),
                     *([c, "--help"] for c in COMMANDS), *([c, "-h"] for c in COMMANDS)):
            run = self.run_command(*args)
            self.assertEqual(run.returncode, 0, args)
            self.assertEqual(run.stderr, "")
            self.assertTrue(run.stdout.startswith("usage: passprobe"), args)
            self.assert_narrow(run.stdout)

    def test_version(self):
        run = self.run_command("--version")
        self.assertRegex(run.stdout, r"^passprobe version \d+\.\d+\.\d+\n$")
        for option in ("-V", "-v", "version"):
            self.assertEqual(self.run_command(option).stdout, run.stdout, option)

    def test_a_forgotten_stat_is_suggested(self):
        game = self.script("game", "#!/bin/sh\n")
        for word in (game, "true"):
            run = self.run_command(word)
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, f"'{word}' is not a passprobe command; to measure that application: "
                                 f"passprobe stat -- {word}")
        self.assert_one_line(self.run_command("./nothing").stderr, "see `passprobe --help`")

    def test_a_running_process_cannot_be_measured(self):
        for command in ("stat", "record"):
            for option in (["-p", "1"], ["--pid=1"], ["--pid", "1"]):
                run = self.run_command(command, *option)
                self.assertEqual(run.returncode, 125)
                self.assert_one_line(run.stderr, "cannot attach to a running process", f"`passprobe {command} -- CMD`")

    def test_near_commands_are_suggested(self):
        for word, near in (("sta", "stat"), ("recrod", "record"), ("docter", "doctor")):
            run = self.run_command(word)
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, f"'{word}' is not a passprobe command; did you mean '{near}'?")

    def test_output_that_cannot_be_written_is_a_failure(self):
        for args in (["--help"], ["--version"], ["stat", "--help"], ["list", "-e", "cpu"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                run = subprocess.run([self.install, *args], env=self.env, stdout=full, stderr=subprocess.PIPE,
                                     text=True, check=False, timeout=60)
            self.assertEqual(run.returncode, 125, args)
            self.assert_one_line(run.stderr, "cannot write")

    def test_lost_findings_are_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([self.install, "doctor", "--", "true"], env=self.env, stdout=full, cwd=self.cwd,
                                 stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "cannot write to standard output: No space left")

    def test_status_without_a_reader(self):
        """The reader of the summary has gone: the exit status is still CMD's."""
        made = self.session([{"frame": i, "frame_time_ns": 10 ** 7} for i in range(30)], about={})
        for command in ("stat", "record"):
            read, write = os.pipe()
            os.close(read)
            run = subprocess.run([self.install, command, "--", "sh", "-c", "exit 7"], stderr=write, cwd=self.cwd,
                                 env={**self.env, "FAKE_SESSION": made, "FAKE_PROGRAM": "sh"}, check=False, timeout=60)
            os.close(write)
            self.assertEqual(run.returncode, 7, command)

    def test_directory_that_is_gone(self):
        for command in ("stat", "record"):
            run = self.run_command(command, "-o", "s", "--", "sh", "-c", "rm -r s; exit 3")
            self.assertEqual(run.returncode, 3)
            self.assert_one_line(run.stderr, "no data: ", "/s was removed while the application ran")

    def test_required_frames(self):
        """Too few frames are a failure, whatever the exit status of CMD is; enough frames change nothing."""
        made = self.session([{"frame": i, "frame_time_ns": 10 ** 7} for i in range(30)], about={})
        env = {"FAKE_SESSION": made, "FAKE_PROGRAM": "sh"}
        for command in ("stat", "record"):
            for status in (0, 7):
                words = ("-q", "--", "sh", "-c", f"exit {status}")
                run = self.run_command(command, "--require-frames", "30", *words, env=env)
                self.assertEqual((run.returncode, "require" in run.stderr), (status, False), (command, run))
                run = self.run_command(command, "--require-frames=31", *words, env=env)
                self.assertEqual(run.returncode, 125, command)
                self.assertEqual(run.stderr.splitlines()[-1],
                                 "passprobe: 30 frames were recorded, but --require-frames asks for 31")
            run = self.run_command(command, "--", "true", env={"PASSPROBE_REQUIRE_FRAMES": "1"})
            self.assertEqual(run.returncode, 125)
            self.assertIn("0 frames were recorded, but --require-frames asks for 1\n", run.stderr)
            self.assertEqual(self.run_command(command, "--require-frames", "1", "--", "/no/such").returncode, 127)

    def test_wrong_usage(self):
        for args, parts in ((["frobnicate"], ["frobnicate"]), (["--frob"], ["--frob"]),
                            (["psh"], ["'psh' is not a passprobe command"]), (["diff", "a", "b"], ["'a' is not a session"]),
                            (["stat"], ["no application"]), (["record", "--"], ["no application"]),
                            (["stat", "--levl", "pass", "true"], ["--levl", "did you mean 'level'"]),
                            (["stat", "--frobnicate", "true"], ["--frobnicate"]),
                            (["stat", "-Z", "true"], ["-Z"]), (["stat", "-l"], ["'-l'", "needs an argument: frame|pass|draw"]),
                            (["stat", "--quiet=1", "true"], ["--quiet", "no argument"]),
                            (["stat", "-l", "fine", "true"], ["fine", "frame, pass"]),
                            (["stat", "-e", "time,frob", "true"], ["frob"]),
                            (["stat", "-e", "{time", "true"], ["{"]),
                            (["record", "--frames", "9-3", "true"], ["9-3"]),
                            (["record", "--every", "0", "true"], ["every"]),
                            (["record", "--require-frames", "many", "true"], ["many", "number of frames"]),
                            (["record", "--max-size", "12Q", "true"], ["12Q"]),
                            (["record", "--max-size", "1", "true"], ["64K or more"]),
                            (["record", "--duration", "0", "true"], ["'0'", "above 0"]),
                            (["record", "--slower-than", "1,5", "true"], ["1,5"]),
                            (["list", "--metrics", "/no/such"], ["/no/such"]), (["report", ""], ["'' is not a session"]),
                            (["decode", "mali", "--frob", "x"], ["--frob"]), (["decode", "mali", "-g"], ["'-g' needs"]),
                            (["list", "--frob"], ["--frob"]), (["report", "--frob"], ["--frob"]),
                            (["report", "a", "b"], ["one session"]), (["list", "-e", "nosuchevent"], ["nosuchevent"])):
            run = self.run_command(*args)
            self.assertEqual(run.returncode, 125, (args, run))
            self.assert_one_line(run.stderr, *parts)
            self.assertEqual(run.stdout, "")
            self.assertEqual(os.listdir(self.cwd), [], args)

    def test_list_suggests_the_nearest(self):
        for pattern, near in (("vertx", "vertex"), ("RendrBasic", "RenderBasic"), ("task-clck", "task-clock"),
                              ("metric:overdrw", "metric:overdraw"), ("pipelin:vertex_shader_invocations",
                                                                     "pipeline:vertex_shader_invocations")):
            run = self.run_command("list", "-e", pattern)
            self.assertEqual(run.returncode, 125, run)
            self.assert_one_line(run.stderr, f"no event matches '{pattern}'; did you mean '{near}'?")
        run = self.run_command("list", "-e", "zzzzzzzz")
        self.assert_one_line(run.stderr, "no event matches 'zzzzzzzz'")

    def test_list_takes_what_record_takes(self):
        """Hardware that this machine lacks: the reason, and what the counter tables know of the event."""
        for event, *parts in (("oa:RenderBasic.EuActive", "i915", "      EuActive [percent]"),
                              ("oa:EuActive", "i915", "      EuActive [percent]"),
                              ("mali:gpu_active_cycles", "panfrost", "      gpu_active_cycles [cycles]"),
                              ("mali:MaliGPUCyclesGPUAct*", "panfrost", "      MaliGPUCyclesGPUActive [cycles]")):
            run = self.run_command("list", "-e", event, env={"DISPLAY": ""})
            self.assertEqual(run.returncode, 0, (event, run))
            for part in parts:
                self.assertIn(part, run.stdout, event)
        self.assertNotIn("GpuTime", self.run_command("list", "-e", "oa:EuActive").stdout)
        run = self.run_command("list", "-e", "time", "-e", "cpu")
        self.assertEqual(run.returncode, 125, run)
        self.assert_one_line(run.stderr, "--events: only one is possible")

    def test_lists_of_events_add_up(self):
        for args in (("-e", "time", "-e", "cpu:task-clock", "--events", "pipeline"),
                     ("-e", "time,cpu:task-clock,pipeline")):
            run = self.run_command("record", *args, "--", "printenv", "PASSPROBE_EVENTS")
            self.assertEqual(run.stdout, "time,cpu:task-clock,pipeline\n", args)
        run = self.run_command("record", "-e", "time", "-e", "cpu:task-clok", "--", "true")
        self.assertEqual(run.returncode, 125, run)
        self.assert_one_line(run.stderr, "'time,cpu:task-clok': column 6", "did you mean 'cpu:task-clock'?")

    def test_unknown_sources_suggest_the_nearest(self):
        run = self.run_command("stat", "-e", "time,kh:cycles", "true")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "unknown event 'kh:cycles'", "did you mean 'khr'?")

    def test_misspelt_events_are_refused_up_front(self):
        """Names that do not depend on the driver are checked first; the application does not run."""
        for events, *parts in (("cpu:task-clok", "column 1", "'task-clok'", "did you mean 'cpu:task-clock'?"),
                               ("time,cpu:page-falts", "column 6", "did you mean 'cpu:page-faults'?"),
                               ("cpu:zzz*", "'zzz*'"), ("{cpu:task-clock,cpu:tsk}", "column 17", "'tsk'"),
                               ("pipeline:vertx", "did you mean 'pipeline:vertex_shader_invocations'?"),
                               ("pipeline:vertices", "did you mean 'pipeline:input_assembly_vertices'?"),
                               ("time:x", "did you mean 'time'?"),
                               # hardware that this machine lacks: the counter tables have the names
                               ("oa:RenderBsic", "column 1", "unknown event 'RenderBsic'; did you mean 'oa:RenderBasic'?"),
                               ("time,oa:EuActiv", "column 6", "did you mean 'oa:EuActive'?"),
                               ("oa:RenderBasic.EuActiv", "did you mean 'oa:RenderBasic.EuActive'?"),
                               ("oa:NoSuchThingAtAll*", "'NoSuchThingAtAll*' of oa; `passprobe list -e intel` shows"),
                               # the name of the group as the source has it, not as the catalogue has it
                               ("mali:Derived", "'Derived'"), ("mali:Hardware.MaliGPUCyclesGPUActive", "'Hardware.Mali"),
                               ("oa:[RG]puTime", "'[RG]puTime'"),
                               ("mali:metrics.gpu_active_cycle", "did you mean 'mali:metrics.gpu_active_cycles'?"),
                               # the name that the hardware and other tools use, and a prefix of a name
                               ("mali:GPU_ACTIVE", "did you mean 'mali:MaliGPUCyclesGPUActive'?"),
                               ("mali:fragment_queue", "did you mean 'mali:fragment_queue_"),
                               ("mali:gpu_active_cycle_s", "did you mean 'mali:gpu_active_cycles'?")):
            for command in ("stat", "record"):
                run = self.run_command(command, "-e", events, "--", "touch", "it-ran")
                self.assertEqual(run.returncode, 125, (events, run))
                self.assert_one_line(run.stderr, "--events: bad value '" + events, *parts)
                self.assertEqual(os.listdir(self.cwd), [], events)
        run = self.run_command("stat", "--", "touch", "it-ran", env={"PASSPROBE_EVENTS": "cpu:nope"})
        self.assertEqual(run.returncode, 125, run)
        self.assert_one_line(run.stderr, "PASSPROBE_EVENTS: bad value 'cpu:nope'")
        # known, or known only to the application's driver
        for events in ("cpu:task*", "cpu", "khr:whatever", "app:whatever", "task-clock", "oa", "oa:RenderBasic",
                       "oa:EuActive", "oa:EuActive_percent", "oa:RenderBasic.EuActive", "oa:GtiReadThroughput.max", "oa:L3*",
                       "oa:Compute*", "mali", "mali:MaliGPUCyclesGPUActive", "mali:metrics", "intel:whatever",
                       "mali:metrics.gpu_active_cycles", "mali:counters.MaliGPUCyclesGPUActive", "mali:counters"):
            run = self.run_command("stat", "-e", events, "--", "true")
            self.assertEqual(run.returncode, 0, (events, run))

    def test_list_is_narrow(self):
        run = self.run_command("list", "-e", "cpu")
        self.assertEqual(run.returncode, 0, run.stderr)
        part = run.stdout.split("Counters of the machine and the kernel:")[1].split("\n\nHardware catalogues")[0]
        self.assertIn("cpu:task-clock", part)
        self.assertEqual([line for line in part.splitlines() if len(line) > 79], [])
        reasons = [line for line in part.splitlines() if line.startswith("          no: ")]
        self.assertTrue(all(a != b for a, b in zip(reasons, reasons[1:])), reasons)


class Status(CommandTest):
    def test_status_is_cmds(self):
        for command in ("stat", "record"):
            for code in (0, 1, 42, 124, 125, 126, 127, 255):
                run = self.run_command(command, "sh", "-c", f"echo out; echo err >&2; exit {code}")
                self.assertEqual(run.returncode, code)
                self.assertEqual(run.stdout, "out\n")
                self.assertTrue(run.stderr.startswith("err\n"))

    def test_status_when_the_parent_ignores_children(self):
        run = self.run_command("record", "sh", "-c", "exit 7", preexec_fn=lambda: signal.signal(
            signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(run.returncode, 7)

    def test_status_of_a_signal(self):
        for name in ("TERM", "KILL", "SEGV", "INT"):
            run = self.run_command("record", "sh", "-c", f"kill -{name} $$")
            self.assertEqual(run.returncode, 128 + getattr(signal, "SIG" + name))

    def test_not_found_and_not_executable(self):
        plain = self.script("plain.txt", "text", mode=0o644)
        broken = self.script("broken", "#!/no/such/interpreter\n")
        for command, code, parts in (("no-such-program", 127, ["no-such-program", "No such file"]),
                                     ("./missing", 127, ["./missing"]), (plain, 126, ["Permission denied"]),
                                     (self.top, 126, ["Permission denied"]),
                                     (broken, 127, ["/no/such/interpreter", "missing"]),
                                     (plain + "/x", 127, ["Not a directory"]), ("", 127, ["No such file"])):
            for sub in ("stat", "record"):
                run = self.run_command(sub, "--", command)
                self.assertEqual(run.returncode, code, (command, run.stderr))
                self.assert_one_line(run.stderr, *parts)
                self.assertEqual(os.listdir(self.cwd), [])

    def test_script_without_interpreter_line(self):
        path = self.script("bare", "exit 7\n")
        self.assertEqual(self.run_command("record", path).returncode, 7)

    def test_options_end_at_the_program(self):
        run = self.run_command("stat", "-q", "echo", "-o", "x", "--", "--level")
        self.assertEqual(run.stdout, "-o x -- --level\n")
        run = self.run_command("stat", "--", "echo", "--", "a")
        self.assertEqual(run.stdout, "-- a\n")


class Signals(CommandTest):
    def start(self, *args, **more):
        child = subprocess.Popen([self.install, "record", *args], cwd=self.cwd, env=self.env, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.assertEqual(child.stdout.readline(), "ready\n")
        return child

    def finish(self, child):
        out, err = child.communicate(timeout=100)
        return child.returncode, out, err

    def test_signals_are_forwarded(self):
        for name in ("TERM", "HUP", "INT", "QUIT", "USR1", "USR2"):
            child = self.start("sh", "-c", f"trap 'echo got; exit 3' {name}; echo ready; "
                                           "while :; do sleep 0.02; done")
            child.send_signal(getattr(signal, "SIG" + name))
            code, out, _ = self.finish(child)
            self.assertEqual((code, out), (3, "got\n"), name)

    def test_killed_program(self):
        child = self.start("sh", "-c", "echo ready; exec sleep 60")
        child.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(child)[0], 128 + signal.SIGTERM)

    def test_ignored_signals_stay_ignored(self):
        child = self.start("sh", "-c", "echo ready; sleep 0.5; exit 5",
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        child.send_signal(signal.SIGHUP)
        self.assertEqual(self.finish(child)[0], 5)

    def test_terminal_interrupt_reaches_the_program_once(self):
        """Ctrl-C goes to the whole foreground group; passprobe waits for the application and sends nothing itself."""
        count = os.path.join(self.top, "count")
        child = self.start("python3", "-c",
                           "import os, signal, sys, time\n"
                           f"signal.signal(signal.SIGINT, lambda *a: open({count!r}, 'a').write('x'))\n"
                           "print('ready', flush=True)\n"
                           f"while not os.path.exists({count!r}): time.sleep(0.02)\n"
                           # the second signal may come while Python ends and handles none any more
                           "signal.signal(signal.SIGINT, signal.SIG_IGN); os._exit(0)\n", start_new_session=True)
        os.killpg(child.pid, signal.SIGINT)
        code, _, _ = self.finish(child)
        self.assertEqual(code, 0)
        with open(count, encoding="utf-8") as file:
            # killpg() comes from a process, not from a terminal: the application gets it once directly, and forwarded
            # at most once
            self.assertIn(file.read(), ("x", "xx"))


class Killed(CommandTest):
    """A signal's name, the data that was written, and how to find out what caused the signal."""

    def test_killed_without_data(self):
        for number, name, hint in ((signal.SIGSEGV, "SIGSEGV (Segmentation fault)", True),
                                   (signal.SIGABRT, "SIGABRT (Aborted)", True),
                                   (signal.SIGKILL, "SIGKILL (Killed)", False),
                                   (signal.SIGTERM, "SIGTERM (Terminated)", False)):
            for command in ("stat", "record"):
                run = self.run_command(command, "--", "sh", "-c", f"ulimit -c 0; kill -{int(number)} $$")
                self.assertEqual(run.returncode, 128 + number)
                lines = run.stderr.splitlines()
                self.assertIn("was killed by " + name, lines[0])
                self.assertEqual(["without passprobe" in line for line in lines[1:-1]], [True, False, False] if hint else [],
                                 run.stderr)
                self.assertIn("no data from", lines[-1])
                self.assertNotIn("doctor", run.stderr)
                self.assertEqual(os.listdir(self.cwd), [])

    def test_killed_with_data(self):
        made = self.session([{"frame": i, "frame_time_ns": 10 ** 7, "level": "frame"} for i in range(30)],
                            about={"ended": "running"})
        env = {"FAKE_SESSION": made, "FAKE_PROGRAM": "sh"}
        for command, part in (("stat", "29 frames in 0.290 s"), ("record", "30 frames, 0 passes in ")):
            run = self.run_command(command, "--", "sh", "-c", "ulimit -c 0; kill -SEGV $$", env=env)
            self.assertEqual(run.returncode, 139)
            self.assertIn("was killed by SIGSEGV (Segmentation fault)\n", run.stderr)
            self.assertIn(part, run.stderr)

    def test_small_stack(self):
        """The commands say that a stack is too small for them; they work with the smallest one that they take."""
        made = self.session([{"frame": i, "frame_time_ns": 10 ** 7, "level": "frame"} for i in range(30)])
        for words in (["record", "--", "true"], ["report", made], ["diff", made, made], ["export", "--as", "sqlite", made]):
            run = self.run_command("-c", 'ulimit -s 192; exec "$0" "$@"', self.install, *words, binary="sh")
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, "a stack of 192 kB is allowed (ulimit -s), but passprobe needs 512 kB")
            run = self.run_command("-c", 'ulimit -s 512; exec "$0" "$@"', self.install, *words, binary="sh")
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_what_a_script_ran_was_killed(self):
        run = self.run_command("stat", "--", "sh", "-c", "exit 139")
        self.assertEqual(run.returncode, 139)
        self.assertIn("ended with status 139: shells return this status for an application killed by SIGSEGV", run.stderr)
        run = self.run_command("stat", "--", "sh", "-c", "exit 130")
        self.assert_one_line(run.stderr, "no data from")

    def test_lines_to_paste_after_a_crash(self):
        """One line runs the application alone, one with all options and less of passprobe: as a shell reads them."""
        words = ["two words", "it's", "", "$HOME", "*", "a=b", "~", "\\n", "-l", "tab\there", "\x1b[31m9", "ü", "--", "\udcff8"]
        names = "SEGV", "ABRT", "BUS", "ILL", "FPE"
        crash = self.script("it's a game", "#!/bin/sh\nulimit -c 0\n"
                            'if [ -n "$SHOW" ]; then printf "%s\\0" "$@"; exit; fi\n'
                            'if [ "$1" = shell ]; then sh -c "kill -$2 \\$\\$"; exit $?; fi\nkill -"$2" $$\n')
        for i, name in enumerate(names):
            number = getattr(signal, "SIG" + name)
            for way in "itself", "shell":
                command, options = ("record", "stat")[i % 2], ["-e", "time,cpu:task-clock", "-o", "it's here", "--level=draw"]
                run = self.run_command(command, *options, "--", crash, way, name, *words)
                self.assertEqual(run.returncode, 128 + number, run.stderr)
                lines = run.stderr.splitlines()
                self.assertIn(f"SIG{name} (", run.stderr)
                at = [k for k, line in enumerate(lines) if "to see whether passprobe caused this" in line][0]
                alone, less = lines[at + 1:at + 3]
                self.assertTrue(less.startswith(f"  passprobe {command} -e time,cpu:task-clock -o "), less)
                self.assertIn(" --level=draw -l frame -- ", less)
                self.assertFalse(set(alone + less) & set(map(chr, range(32))), "no control character")
                shown = [subprocess.run(["bash", "-c", line], env={**self.env, "SHOW": "1", "PATH": os.path.dirname(self.install)
                                                                   + ":" + os.environ["PATH"]},
                                        cwd=self.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
                         for line in (alone, less)]
                for one in shown:
                    self.assertEqual([os.fsdecode(word) for word in one.stdout.split(b"\0")[:-1]], [way, name, *words],
                                     one.stderr)
        run = self.run_command("stat", "-l", "frame", "--", crash, "itself", "SEGV")
        self.assertIn("passprobe stat -l frame -l frame -e time -- ", run.stderr)

    def test_doctor_names_the_signal(self):
        run = self.run_command("doctor", "--", "sh", "-c", "ulimit -c 0; kill -ABRT $$")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"BAD +end +killed by SIGABRT \(Aborted\)")
        self.assertIn("-l frame", run.stdout.split("What to do: ")[1])
        run = self.run_command("doctor", "--", "sh", "-c", "kill -TERM $$")
        self.assertRegex(run.stdout, r"note +end +killed by SIGTERM")


class Environment(CommandTest):
    def environment(self, *args, env=None, **more):
        run = self.run_command("record", *args, "--", "env", env=env, **more)
        self.assertEqual(run.returncode, 0, run.stderr)
        return dict(line.split("=", 1) for line in run.stdout.splitlines() if "=" in line)

    def test_variables_of_profiling(self):
        shim = os.path.join(self.libdir, "libpassprobe-gl.so")
        seen = self.environment()
        self.assertEqual(seen["LD_PRELOAD"], shim)
        self.assertEqual(seen["PASSPROBE"], "1")
        share = os.path.join(self.top, "prefix/share")
        self.assertEqual(seen["XDG_DATA_DIRS"], share + ":/usr/local/share:/usr/share")
        self.assertEqual(seen["PASSPROBE_OUTPUT"], os.path.join(self.cwd, "passprobe.data"))

    def test_disabled_stays_disabled(self):
        run = self.run_command("stat", "env", env={"PASSPROBE_DISABLE": "1"})
        self.assertIn("PASSPROBE_DISABLE=1\n", run.stdout)
        self.assert_one_line(run.stderr, "PASSPROBE_DISABLE")

    def test_shim_comes_first_and_once(self):
        shim = os.path.join(self.libdir, "libpassprobe-gl.so")
        seen = self.environment(env={"LD_PRELOAD": f"libm.so.6:{shim} /old/libpassprobe-gl.so:libdl.so.2"})
        self.assertEqual(seen["LD_PRELOAD"], f"{shim}:libm.so.6:libdl.so.2")

    def test_share_is_not_named_twice(self):
        share = os.path.join(self.top, "prefix/share")
        seen = self.environment(env={"XDG_DATA_DIRS": f"/x:{share}/:/y"})
        self.assertEqual(seen["XDG_DATA_DIRS"], f"/x:{share}/:/y")
        seen = self.environment(env={"XDG_DATA_HOME": share})
        self.assertNotIn("XDG_DATA_DIRS", seen)
        seen = self.environment(env={"XDG_DATA_DIRS": "/x"})
        self.assertEqual(seen["XDG_DATA_DIRS"], f"{share}:/x")

    def test_options_become_variables(self):
        seen = self.environment("-l", "frame", "--slower-than=16.7", "--frames", "3-9", "-v", "--max-size", "1M",
                                "-o", "out", env={"PASSPROBE_LEVEL": "pass", "PASSPROBE_EVERY": "2",
                                                  "PASSPROBE_QUIET": "1"})
        for name, value in (("LEVEL", "frame"), ("SLOWER_THAN", "16.7"), ("FRAMES", "3-9"), ("VERBOSE", "1"),
                            ("MAX_SIZE", "1M"), ("EVERY", "2"), ("OUTPUT", os.path.join(self.cwd, "out"))):
            self.assertEqual(seen["PASSPROBE_" + name], value)
        self.assertNotIn("PASSPROBE_QUIET", seen)

    def test_paths_with_separators(self):
        """Blanks and colons separate paths in LD_PRELOAD, colons in XDG_DATA_DIRS."""
        binary = self.make_install(os.path.join(self.top, "a b:c, \"d\""))
        source = os.path.join(self.libdir, "libpassprobe-gl.so")
        marker = self.session([{"frame": i, "frame_time_ns": 10} for i in range(3)], about={}, name="m")
        run = self.run_command("record", "--", "sh", "-c", "env; cat /proc/self/maps", binary=binary,
                               env={"FAKE_SESSION": marker, "FAKE_PROGRAM": "sh"})
        self.assertEqual(run.returncode, 0)
        self.assertIn(source, run.stdout)
        seen = dict(line.split("=", 1) for line in run.stdout.splitlines() if "=" in line)
        alias = os.path.dirname(os.path.dirname(seen["LD_PRELOAD"]))
        self.assertRegex(seen["LD_PRELOAD"], r"^/tmp/passprobe-\w+/lib/libpassprobe-gl\.so$")
        self.assertEqual(seen["XDG_DATA_DIRS"].split(":")[0], alias + "/share")
        self.assertFalse(os.path.exists(alias))
        self.assertIn("3 frames", run.stderr)

    def test_incomplete_installation(self):
        os.unlink(os.path.join(self.libdir, "libpassprobe-gl.so"))
        run = self.run_command("record", "true")
        self.assertIn("OpenGL is not measured", run.stderr)
        shutil.rmtree(os.path.join(self.top, "prefix/share"))
        run = self.run_command("record", "true")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "install passprobe again")
        self.assertEqual(os.listdir(self.cwd), [])


class Configuration(CommandTest):
    def conf(self, text):
        path = os.path.join(self.env["HOME"], ".config/passprobe")
        os.makedirs(path, exist_ok=True)
        path = os.path.join(path, "passprobe.conf")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def test_errors_name_their_place(self):
        path = self.conf("# mine\nlevel = pass\nlevle = frame\n")
        run = self.run_command("stat", "touch", "ran")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, path + ":3", "levle", "level")
        self.assertEqual(os.listdir(self.cwd), [])
        self.conf("every = many\n")
        run = self.run_command("stat", "touch", "ran")
        self.assert_one_line(run.stderr, ":1", "many")
        self.conf("just text\n")
        self.assertEqual(self.run_command("stat", "true").returncode, 125)

    def test_environment_errors(self):
        run = self.run_command("record", "true", env={"PASSPROBE_EVNTS": "time"})
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "PASSPROBE_EVNTS: unknown variable; did you mean PASSPROBE_EVENTS?")
        run = self.run_command("record", "true", env={"PASSPROBE_EVENTS": "frob"})
        self.assert_one_line(run.stderr, "PASSPROBE_EVENTS", "frob")
        empty = {f"PASSPROBE_{name}": "" for name in ("LEVEL", "EVENTS", "OUTPUT", "QUIET", "FRAMES", "NONSENSE")}
        run = self.run_command("stat", "sh", "-c", "exit 4", env=empty)
        self.assertEqual(run.returncode, 4, "empty variables are as unset: " + run.stderr)

    def test_command_line_beats_environment_beats_file(self):
        """Command line beats environment beats file, tested with the output directory."""
        self.conf("output = from-file\n[sh]\noutput = from-section\n")
        print_it = ("sh", "-c", 'basename "$PASSPROBE_OUTPUT"')
        self.assertEqual(self.run_command("record", "--", *print_it).stdout, "from-section\n")
        self.assertEqual(self.run_command("record", "env").stdout.count("/from-file\n"), 1)
        env = {"PASSPROBE_OUTPUT": "from-env"}
        self.assertEqual(self.run_command("record", "--", *print_it, env=env).stdout, "from-env\n")
        self.assertEqual(self.run_command("record", "-o", "from-line", *print_it, env=env).stdout, "from-line\n")


class Unreachable(CommandTest):
    """Applications that no preload reaches: they run, and `stat` says why there is no data."""

    def test_static_programs_are_named(self):
        source = self.script("s.c", "int main(void) { return 9; }\n")
        program = os.path.join(self.top, "static")
        if subprocess.run(["cc", "-static", "-o", program, source], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest("cc cannot link statically")
        run = self.run_command("stat", program)
        self.assertEqual(run.returncode, 9)
        self.assert_one_line(run.stderr, "statically linked")
        run = self.run_command("doctor", program)
        self.assertEqual(run.returncode, 1)
        self.assertIn("statically linked", run.stdout)

    @unittest.skipUnless(os.getuid() == 0, "needs root to make a set-user-ID file of another user")
    def test_setuid_programs_are_named(self):
        program = os.path.join(self.top, "suid")
        shutil.copy("/bin/true", program)
        os.chmod(program, 0o4755)
        run = self.run_command("stat", program, user=65534, group=65534, extra_groups=[])
        self.assertEqual(run.returncode, 0)
        self.assert_one_line(run.stderr, "set-user-ID")

    def test_program_without_graphics(self):
        run = self.run_command("stat", "true")
        self.assertEqual(run.returncode, 0)
        self.assert_one_line(run.stderr, "no data from 'true'", "passprobe doctor -- true")
        self.assertEqual(os.listdir(self.cwd), [])
        run = self.run_command("doctor", "--", "true")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no process loaded OpenGL or Vulkan", run.stdout)

    def test_doctor_stops_without_a_program(self):
        folder = os.path.join(self.top, "folder")
        os.mkdir(folder)
        for program, status in (("no-such-program", 127), ("/no/such/program", 127), (folder, 126)):
            run = self.run_command("doctor", "--", program)
            self.assertEqual(run.returncode, status, program)
            self.assertRegex(run.stdout, rf"(?m)^ BAD +application +{program}: ")
            self.assertNotIn("The application runs now", run.stdout)

    def test_doctor_goes_on_with_a_broken_configuration(self):
        """A mistake in the configuration is a row among the others, with and without an application."""
        for words in ([], ["--", "true"]):
            run = self.run_command("doctor", *words, env={"PASSPROBE_LEVEL": "deep"})
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertRegex(run.stdout, r"(?m)^ BAD +configuration +PASSPROBE_LEVEL: bad value 'deep'")
            for row in ("OpenGL shim", "LD_PRELOAD", "working directory"):
                self.assertRegex(run.stdout, rf"(?m)^ \S+ +{row}")

    def test_doctor_begins_with_the_display(self):
        env = {"DISPLAY": "", "WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": "/run/me"}
        run = self.run_command("doctor", "--", "sh", "-c", "exit 5", env=env)
        rows = [line for line in run.stdout.splitlines() if line.startswith((" ok", " note", " BAD"))]
        self.assertEqual([" ".join(row.split()) for row in rows[:3]],
                         ["note DISPLAY is not set", "ok WAYLAND_DISPLAY wayland-7", "ok XDG_RUNTIME_DIR /run/me"])
        after = run.stdout.split("The application runs now", 1)[1]
        first = next(line for line in after.splitlines() if line.startswith((" ok", " note", " BAD")))
        self.assertRegex(first, "exit status +5$")
        self.assertIn("working directory", after, "the machine's rows, because there is no frame")

    def test_doctor_names_every_process(self):
        """A launcher and a game, each with its API and what passprobe said in it."""
        about = {"passprobe": "1", "ended": "exit", "messages": [{"text": "the first one spoke", "count": 1}],
                 "program": {"executable": "/opt/launcher", "pid": 11},
                 "devices": [{"api": "gl", "name": "card", "events_missing": []}]}
        rows = [{"frame": i, "api": "gl", "frame_time_ns": 10 ** 7} for i in range(3)]
        launcher = self.session(rows, about=about, name="launcher")
        game = self.session(rows + [{"frame": 3, "api": "vulkan"}], name="game",
                            about={**about, "program": {"executable": "/opt/game", "pid": 12}, "messages": [],
                                   "devices": [{"api": "vulkan", "name": "card", "events_missing": []}]})
        run = self.run_command("doctor", "--", "sh", "-c", f'cp -r {game} "$PASSPROBE_OUTPUT.12"',
                               env={"FAKE_SESSION": launcher, "FAKE_PROGRAM": "sh"})
        self.assertEqual(run.returncode, 0, run.stderr)
        text = " ".join(run.stdout.split())
        self.assertIn("process game (12): 4 frames ok API used vulkan on card", text)
        self.assertIn("process launcher (11): 3 frames ok API used gl on card note passprobe said the first one spoke", text)
        self.assertIn("7 were measured", text.replace("frames were", "were"))

    def test_doctor_names_a_script(self):
        run = self.run_command("doctor", self.script("game.sh", "#!/bin/sh\nexit 0\n"))
        self.assertIn("a script for /bin/sh", run.stdout)


if __name__ == "__main__":
    unit_main()
