"""Capture one frame of vkcube with RenderDoc and print its counters of each draw, as JSON.

usage: renderdoc_counts.py FOLDER    with an X display; exit status 77 if RenderDoc is absent or fails"""
import contextlib
import json
import os
import signal
import sys
import time

try:
    import renderdoc as rd
except ImportError:
    print("RenderDoc's Python module is not installed")
    sys.exit(77)


def give_up(reason):
    """Skip: a comparison that RenderDoc cannot make does not show that passprobe is wrong."""
    print(reason)
    sys.exit(77)


PROGRAM, WORDS = "/usr/bin/vkcube", "--c 100000 --width 64 --height 64 --suppress_popups"


def capture(folder):
    """Run the application under RenderDoc until it has captured a frame. Returns the capture's path and the frame's
    number. The application is ended: it would draw on after the capture, and keep this script's output open."""
    run = rd.ExecuteAndInject(PROGRAM, folder, WORDS, [], os.path.join(folder, "cube"), rd.GetDefaultCaptureOptions(),
                              False)
    if run.result != rd.ResultCode.Succeeded:
        give_up("vkcube did not start under RenderDoc: %s" % run.result)
    target = rd.CreateTargetControl("", run.ident, "test", True)
    if target is None or not target.GetPID():
        give_up("RenderDoc cannot reach vkcube")
    application = target.GetPID()
    try:
        return captured_frame(target)
    finally:
        target.Shutdown()
        with contextlib.suppress(ProcessLookupError):
            os.kill(application, signal.SIGKILL)


def captured_frame(target):
    """Ask for a capture until there is one. Returns its path and the frame's number."""
    end, again = time.time() + 90, 0
    while time.time() < end:
        if time.time() >= again:
            target.TriggerCapture(1)
            again = time.time() + 10
        message = target.ReceiveMessage(None)
        if message.type == rd.TargetControlMessageType.NewCapture:
            return message.newCapture.path, message.newCapture.frameNumber
        if message.type == rd.TargetControlMessageType.Disconnected:
            break
    give_up("RenderDoc captured no frame in 90 s")


def main():
    """Capture, replay, count."""
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    path, frame = capture(sys.argv[1])
    opened = rd.OpenCaptureFile()
    if opened.OpenFile(path, "", None) != rd.ResultCode.Succeeded:
        give_up("RenderDoc cannot read its capture")
    status, replay = opened.OpenCapture(rd.ReplayOptions(), None)
    if status != rd.ResultCode.Succeeded:
        give_up("RenderDoc cannot replay its capture: %s" % status)
    counters = {rd.GPUCounter.InputVerticesRead: "input_assembly_vertices",
                rd.GPUCounter.IAPrimitives: "input_assembly_primitives",
                rd.GPUCounter.VSInvocations: "vertex_shader_invocations",
                rd.GPUCounter.PSInvocations: "fragment_shader_invocations"}
    draws = {}
    for result in replay.FetchCounters(list(counters)):
        draws.setdefault(result.eventId, {})[counters[result.counter]] = result.value.u64
    print(json.dumps({"frame": frame, "draws": [draws[event] for event in sorted(draws)]}))
    replay.Shutdown()


main()
