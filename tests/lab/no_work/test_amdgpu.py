"""Debian's RADV and radeonsi on a simulated amdgpu device whose GPU executes nothing: both come up, passprobe finds their
counters, and results that never come leave the application alone and are reported as missing."""
import re

from harness import equal, main, need_file, true
from layer import messages, need_validation, validation_around
from no_work import KILLED, Device, all_levels, lost_all, lost_times, nothing_measured

ICD = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"
DRI = "/usr/lib/x86_64-linux-gnu/dri/radeonsi_dri.so"
FRAMES = 4


def radv(lab, gpu="navi21"):
    need_file(ICD, "RADV")
    return Device(lab, gpu, VK_ICD_FILENAMES=ICD)


def radeonsi(lab, gpu="navi21"):
    need_file(DRI, "radeonsi")
    return Device(lab, gpu)


def vk(lab, *words):
    return lab.sample("vk", "--frames", str(FRAMES), *words)


def gl(lab, *words):
    return lab.sample("gl", "--frames", str(FRAMES), *words)


def case_list(lab):
    """Each GPU has a name, and the counters that its driver has for it."""
    need_file(ICD, "RADV")
    need_file(DRI, "radeonsi")
    for gpu, name, khr, blocks in (("navi21", "RADV NAVI21", 17, ("CB0", "SQ", "TCP0", "GL2C")),
                                   ("navi10", "RADV NAVI10", 0, ("CB0", "SQ", "TCP0", "GL2C")),
                                   ("renoir", "RADV RENOIR", 0, ("CB0", "SQ", "TCP0", "TCC0"))):
        shown = radv(lab, gpu).run([lab.passprobe, "list"]).stdout
        true(name in shown, f"{name} in {shown}")
        true(f"({gpu}, LLVM" in shown, f"radeonsi's {gpu} in {shown}")
        refused = "no: the driver lacks VK_KHR_performance_query" in shown
        equal(refused, khr == 0, f"{gpu}: the source khr in {shown}")
        if khr:
            counters = radv(lab, gpu).run([lab.passprobe, "list", "-e", "khr:*"]).stdout
            equal(len(re.findall(r"^ +khr:", counters, re.MULTILINE)), khr, f"{gpu}: counters of khr in {counters}")
        for block in blocks:
            true(re.search(rf"^    {block}: \d+ counters, \d+ at a time$", shown, re.MULTILINE),
                 f"{gpu}: block {block} in {shown}")


def case_doctor(lab):
    """doctor finds the drivers, and no fault."""
    shown = radv(lab).run([lab.passprobe, "doctor"]).stdout
    for name in ("RADV NAVI21", "navi21, LLVM", "tests ran on RADV 22.3.6, simulated GPU, no-op",
                 "tests ran on radeonsi 22.3.6, simulated GPU, no-op"):
        true(name in shown, f"{name} in {shown}")


def case_radv_levels(lab):
    for words in ((), ("--rerecord",), ("--secondary", "--renderpass", "dynamic")):
        all_levels(radv(lab), vk(lab, *words), FRAMES, lost=lost_all)


def case_radv_gpus(lab):
    for gpu in ("navi10", "renoir"):
        all_levels(radv(lab, gpu), vk(lab), FRAMES, lost=lost_all)


def case_radv_khr(lab):
    """All 17 counters need two sets. RADV gives zeros and VK_SUCCESS for results that never came."""
    all_levels(radv(lab), vk(lab, "--rerecord"), FRAMES, "-e", "khr", lost=lost_times)
    said, session, _ = radv(lab).record(vk(lab, "--rerecord"), "-l", "pass", "-e", "khr")
    got = [event for event in session.json["devices"][0]["events_got"] if event.startswith("khr:")]
    equal(len(got), 17, f"planned counters: {got}")
    true("results of counters did not arrive" in said, said)
    reasons = " ".join(row["reason"] for row in session.json["devices"][0]["events_missing"])
    true("this driver gives zeros" in reasons, reasons)


def case_radv_validation(lab):
    """No message of the validation layer, neither below passprobe nor above it. --hazard shows that it is active."""
    need_validation()
    device = radv(lab)
    places = validation_around(lab)
    common = {"PASSPROBE": "1", "PASSPROBE_QUIET": "1"}
    hazard = device.run(vk(lab, "--hazard"), **common, **places[0][1], PASSPROBE_OUTPUT=lab.path("hazard")).stdout
    true(messages(hazard), "validation is active: " + hazard[-2000:])
    for place, variables in places:
        for level in ("frame", "pass", "draw"):
            for events in ("time,pipeline", "khr"):
                out = f"{place}-{level}-{events[:3]}"
                done = device.run(vk(lab, "--rerecord"), **common, **variables, PASSPROBE_OUTPUT=lab.path(out),
                                  PASSPROBE_LEVEL=level, PASSPROBE_EVENTS=events)
                equal(messages(done.stdout + done.stderr), {}, f"{out}: {done.stdout[-2000:]}")
                equal(len(lab.session(out).frames), FRAMES, f"{out}: frames")


def case_radv_hang(lab):
    """Fences that never signal: the application waits for ever, bare and under passprobe, and both end by SIGTERM."""
    device = radv(lab)
    device.never_ends(vk(lab))
    said = device.never_ends(device.recording() + vk(lab), KILLED)
    true("was killed by SIGTERM" in said and "no data from" in said, said)


def case_radeonsi_levels(lab):
    for gpu in ("navi21", "renoir"):
        all_levels(radeonsi(lab, gpu), gl(lab), FRAMES, lost=lost_all)
    all_levels(radeonsi(lab), gl(lab, "--es"), FRAMES, lost=lost_times)


def case_radeonsi_amd(lab):
    """Counters of a block: as many as the block counts at a time are planned, and each is reported as missing."""
    for level in ("pass", "draw"):
        said, session, _ = radeonsi(lab).record(gl(lab), "-l", level, "-e", "amd:CB0_000,amd:CB0_001,amd:DB1_002")
        got = [event for event in session.json["devices"][0]["events_got"] if event.startswith("amd:")]
        equal(sorted(got), ["amd:CB0_000", "amd:CB0_001", "amd:DB1_002"], "planned events")
        nothing_measured(session.passes, "passes.csv")
        true("not measured: some results of amd: the driver did not deliver the results in time" in said, said)
        true(session.lost().get("counters_lost", 0) > 0, str(session.lost()))
        true("passprobe waited no longer" in said, "the wait for results ended with the GPU's work: " + said)


def case_radeonsi_stages(lab):
    """A block that counts one shader stage at a time: its stages are measured one after another, and the driver, which
    prints a line each time that it is asked for two stages, prints none."""
    asked = ["amd:SQ_000", "amd:SQ_PS_001", "amd:SQ_VS_001", "amd:CB0_000"]
    _, session, _ = radeonsi(lab).record(gl(lab), "-l", "pass", "-e", ",".join(asked))
    got = [event for event in session.json["devices"][0]["events_got"] if event.startswith("amd:")]
    equal(sorted(got), sorted(asked), "planned events")
    reasons = [row["reason"] for row in session.json["devices"][0]["events_missing"]]
    true(not any("refused" in reason for reason in reasons), str(reasons))
    radeonsi(lab).record(gl(lab), "-l", "pass", "-e", "amd:SQ*")


def case_radeonsi_hang(lab):
    device = radeonsi(lab)
    device.never_ends(gl(lab))
    said = device.never_ends(device.recording() + gl(lab), KILLED)
    true("was killed by SIGTERM" in said and "no data from" in said, said)


if __name__ == "__main__":
    main(globals())
