"""libcurl is loaded when a server is to be reached, and not before. Where it is not installed, or of no use, one line says
so, and what needs no server works."""
import os
import shutil
import subprocess

from harness import environment, equal, main, need, true
from pushing import id_of, make_session

NAMES = ("libcurl.so.4", "libcurl-gnutls.so.4")
SERVER = "clickhouse://ann@127.0.0.1:1/fleet"  # no one listens there


def push(lab, libraries, *words):
    """Run passprobe, which looks for libraries in a folder first."""
    return subprocess.run([lab.passprobe, *words], env=environment("LD_", LD_LIBRARY_PATH=libraries), check=False, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def folder_with(lab, name, make):
    """A folder in which make(path) has made a file for each name of libcurl."""
    folder = lab.path(name)
    os.mkdir(folder)
    for file in NAMES:
        make(os.path.join(folder, file))
    return folder


def broken(lab):
    """A folder whose libcurl cannot be loaded, as if there were none."""
    def make(path):
        with open(path, "wb"):
            pass
    return folder_with(lab, "broken", make)


def loaded(lab, *words):
    """Names of the libraries that a run of passprobe loads."""
    done = subprocess.run([lab.passprobe, *words], env=environment("LD_", LD_DEBUG="libs"), check=False, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    return {line.split("calling init: ")[1].rsplit("/", 1)[-1] for line in done.stderr.splitlines() if "calling init: " in line}


def case_late(lab):
    """Only a command that asks a server loads libcurl."""
    session = make_session(lab.path("one"), id_of(1))
    for words in (["--version"], ["report", session], ["push", "--dry-run", SERVER, session], ["push", lab.path("lake"), session]):
        names = loaded(lab, *words)
        true(any(name.startswith("libc.so") for name in names), f"{words}: {names}")
        equal([name for name in names if "curl" in name], [], f"{words}")
    names = loaded(lab, "push", "--retry", "0", SERVER, session)
    true(any(name.startswith("libcurl.so.4") for name in names), names)


def case_missing(lab):
    """Without libcurl, push and diff say so in one line, and try nothing again."""
    session = make_session(lab.path("one"), id_of(1))
    need("gcc")
    other = os.path.join(lab.scratch, "other.so")
    subprocess.run(["gcc", "-shared", "-x", "c", "-o", other, "-"], input=b"int curl_global_init;", check=True)
    for folder in (broken(lab), folder_with(lab, "of no use", lambda path: shutil.copy(other, path))):
        for words in (["push", SERVER, session], ["push", "--watch", lab.scratch, SERVER], ["diff", SERVER, SERVER]):
            done = push(lab, folder, *words)
            equal((done.returncode, len(done.stderr.splitlines())), (125, 1), f"{words}: {done.stderr}")
            true("without libcurl (Debian: libcurl4)" in done.stderr, f"{words}: {done.stderr}")
        for words in (["push", "--dry-run", SERVER, session], ["push", lab.path("lake"), session]):
            done = push(lab, folder, *words)
            equal(done.returncode, 0, f"{words}: {done.stderr}")


def case_gnutls(lab):
    """The libcurl with GnuTLS is enough, where it is the only one."""
    if "libcurl-gnutls" not in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout:
        need("libcurl-gnutls.so.4")
    folder = broken(lab)
    os.remove(os.path.join(folder, NAMES[1]))
    done = push(lab, folder, "push", "--retry", "0", SERVER, make_session(lab.path("one"), id_of(1)))
    equal(done.returncode, 125, done.stderr)
    true("onnect" in done.stderr, done.stderr)


if __name__ == "__main__":
    main(globals())
