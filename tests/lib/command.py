"""What the command's tests share: a private installation of `passprobe` with a fake shim, made from the build tree, and
functions that run it."""
import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from harness import take_arguments, environment

BINARY, LIBDIR_FROM_BIN, SHIM = take_arguments(3)

FRAME_HEADER = ("frame,api,device,surface,level,cpu_start_ns,frame_time_ns,cpu_busy_ns,cpu_wait_ns,gpu_start_ns,"
                "gpu_latency_ns,gpu_time_ns,gpu_busy_ns,gpu_wait_ns,bound_by,passes,draws,dispatches,copies,"
                "pipelines_created,pipeline_create_ns,pipeline:vertex_shader_invocations,"
                "pipeline:geometry_shader_primitives,pipeline:clipping_primitives,khr:even,khr:odd,khr:load_percent")
PASS_HEADER = ("frame,pass,pass_id,level,kind,name,label,queue,width,height,layers,samples,attachments,draws,"
               "dispatches,copies,gpu_start_ns,gpu_time_ns,bound_by,pipeline:vertex_shader_invocations")

DRAW_HEADER = ("frame,pass,draw,draw_id,call,label,pipeline,stack,vertices,instances,groups,gpu_start_ns,gpu_time_ns,"
               "bound_by,pipeline:vertex_shader_invocations,pipeline:fragment_shader_invocations")
LABEL_HEADER = ("frame,label,depth,passes,draws,dispatches,copies,gpu_start_ns,gpu_inclusive_ns,gpu_exclusive_ns")
MS = 1_000_000


def frames(count, **more):
    """Frames of 10 ms, the first one of 500 ms."""
    return [{"frame": i, "api": "gl", "device": "llvmpipe (LLVM 15.0.6, 256 bits)", "surface": "window 1",
             "level": "pass", "frame_time_ns": 500 * MS if i == 0 else 10 * MS, "cpu_busy_ns": 2 * MS,
             "cpu_wait_ns": 8 * MS, "gpu_time_ns": 9 * MS, "gpu_busy_ns": 8 * MS, "gpu_wait_ns": MS,
             "bound_by": "gpu", "passes": 2, "draws": 5, "dispatches": 0, "copies": 0,
             "pipeline:vertex_shader_invocations": 1200, **more} for i in range(count)]


def passes(count):
    rows = []
    for i in range(count):
        rows.append({"frame": i, "pass": 0, "pass_id": "00aa", "level": "pass", "kind": "render", "name": "shadow map",
                     "gpu_time_ns": 3 * MS})
        rows.append({"frame": i, "pass": 1, "pass_id": "00bb", "level": "pass", "kind": "render", "name": "window",
                     "label": "scene", "gpu_time_ns": 6 * MS})
    return rows


ABOUT = {"passprobe": "0.1.0", "ended": "exit",
         "devices": [{"api": "gl", "name": "llvmpipe",
                      "bracket_bias": [{"scope": "pass", "count": 64, "min_ns": 0, "median_ns": 1000, "iqr_ns": 200}],
                      "events_missing": []}],
         "dropped": {"frames": 0, "times_not_landed": 0, "times_rejected": 0},
         "own_cost": {"hooks_cpu_ns": 200_000, "collector_cpu_ns": 400_000, "percent": 0.06}}


class CommandTest(unittest.TestCase):
    """A fresh working directory and installation for every test."""

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="passprobe-test-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        os.chmod(self.top, 0o755)
        self.install = self.make_install(os.path.join(self.top, "prefix"))
        self.cwd = os.path.join(self.top, "cwd")
        os.mkdir(self.cwd)
        os.chmod(self.cwd, 0o777)
        self.env = environment("XDG_", "LD_", "LC_", "LANG")
        self.env["HOME"] = os.path.join(self.top, "home")
        os.mkdir(self.env["HOME"])
        # some tests preload libraries into the command itself, also where it is built with AddressSanitizer
        self.env["ASAN_OPTIONS"] = self.env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"

    def make_install(self, prefix):
        bindir = os.path.join(prefix, "bin")
        libdir = os.path.normpath(os.path.join(bindir, LIBDIR_FROM_BIN))
        layers = os.path.join(prefix, "share/vulkan/implicit_layer.d")
        for path in (bindir, libdir, layers):
            os.makedirs(path)
        shutil.copy(BINARY, bindir)
        shutil.copy(SHIM, os.path.join(libdir, "libpassprobe-gl.so"))
        with open(os.path.join(layers, "VkLayer_passprobe.json"), "w", encoding="utf-8") as out:
            out.write("{}")
        self.libdir = libdir
        return os.path.join(bindir, "passprobe")

    def run_command(self, *args, env=None, **more):
        more.setdefault("cwd", self.cwd)
        more.setdefault("timeout", 240)
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([more.pop("binary", self.install), *args], env={**self.env, **(env or {})},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)

    def script(self, name, text, mode=0o755):
        path = os.path.join(self.top, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        os.chmod(path, mode)
        return path

    @staticmethod
    def write_csv(path, file, header, rows):
        """Rows are dicts or ready lines; columns that the header lacks are added at its end."""
        columns = header.split(",")
        for row in rows:
            columns += [c for c in row if c not in columns] if isinstance(row, dict) else []
        with open(os.path.join(path, file), "w", encoding="utf-8", newline="") as out:
            out.write(",".join(columns) + "\r\n")
            writer = csv.writer(out)
            for row in rows:
                if isinstance(row, str):
                    out.write(row)
                else:
                    writer.writerow([row.get(c, "") for c in columns])

    def session(self, frames, passes=(), about=None, name="made"):
        """A session directory; rows are dicts or ready lines."""
        path = os.path.join(self.top, name)
        os.mkdir(path)

        self.write_csv(path, "frames.csv", FRAME_HEADER, frames)
        self.write_csv(path, "passes.csv", PASS_HEADER, passes)
        if (about or {}).get("schema", 1) >= 2:
            self.write_csv(path, "labels.csv", LABEL_HEADER, ())
        if about is not None:
            with open(os.path.join(path, "session.json"), "w", encoding="utf-8") as out:
                json.dump({"passprobe": ABOUT["passprobe"], **about}, out)
        return path

    def stat_of(self, session, *args, command=("true",), **more):
        """`passprobe stat` of an application that leaves this session."""
        return self.run_command("stat", *args, "--", *command,
                                env={"FAKE_SESSION": session, "FAKE_PROGRAM": os.path.basename(command[0]),
                                     **more.pop("env", {})}, **more)

    def assert_one_line(self, text, *parts):
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.startswith("passprobe: "), text)
        for part in parts:
            self.assertIn(part, text)

    def assert_narrow(self, text, columns=80):
        for line in text.splitlines():
            self.assertLessEqual(len(line), columns, line)
