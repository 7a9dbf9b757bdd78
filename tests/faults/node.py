"""The machine that a fault happens on: a folder, its environment, and what must hold there afterwards."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent

FAMILY = """#!/bin/sh
for word; do
  case $word in
    --gpugauge_describe) asked=describe ;;
    --gpugauge_*=*) word=${{word#--gpugauge_}}; eval "${{word%%=*}}=\\${{word#*=}}" ;;
  esac
done
leave() {{ cat "${{0%/*}}/{name}.samples" >"$samples"; }}
describe() {{ cat "${{0%/*}}/{name}.definitions"; }}
here() {{ : >"${{0%/*}}/here"; }}
if [ "${{asked-}}" = describe ]; then
{describe}
exit
fi
{body}
"""
# What no user may ever see.
NEVER = re.compile(
    r"terminate called|what\(\):|Assertion|std::|basic_(string|filebuf|ios)|json\.exception|Traceback|AddressSanitizer|"
    r"runtime error:|_backend::|core dumped|\x1b|\0"
)


def _temporary():
    """A name that a file has only while it is written, or while somebody measures for it: as the source gives it."""
    source = (HERE.parents[1] / "harness/result/temporary_file.cpp").read_text(encoding="utf-8")
    mark = re.search(r'string_view mark = "(.+?)";', source).group(1)
    letters = int(re.search(r"int random_letters = (\d+);", source).group(1))
    return re.compile(rf"\..*({re.escape(mark)}[A-Za-z0-9]{{{letters}}}|\.lock)$|\.import-")


TEMPORARY = _temporary()


def definitions(family, gpu):
    return {
        "schema": "gpugauge.definitions/1",
        "family": family,
        "definitions": [
            {
                "id": f"{family}/op",
                "class": "launch" if gpu else "host_cpu",
                "isolates": "nothing",
                "bad_value": "none",
                "window_share": 1,
                "ids": [f"{family}/op"],
                "depths": {f"{family}/op": "smoke"},
                "requires": {"gpu": gpu},
            }
        ],
    }


def samples(family, gpu, value=1e-3):
    return {
        "schema": "gpugauge.samples/1",
        "family": family,
        "status": "ok",
        "reason": "",
        "suite_version": "0.1.0",
        "source_hash": "a" * 64,
        "seed": 1,
        "context": {},
        "benchmarks": [
            {
                "id": f"{family}/op",
                "status": "ok",
                "reason": "",
                "parameters": {},
                "notes": {},
                "work": {"bytes": 0, "flops": 0, "items": 0},
                "batches": {
                    "operations_per_batch": 1,
                    "seconds_per_operation": [value] * 4,
                    "cpu_seconds_per_operation": [],
                    "sm_clock_hz": [],
                    "window_seconds": 4 * value,
                    "cpu_seconds": 0,
                },
                "metrics": [
                    {
                        "name": "latency",
                        "unit": "second",
                        "better": "lower",
                        "class": "launch" if gpu else "host_cpu",
                        "statistic": "median",
                        "value": value,
                        "resolution": 0,
                        "judged": True,
                        "note": "",
                    }
                ],
                "verifications": [{"method": "made for the test", "passed": True}],
            }
        ],
    }


def ulid(number):
    """A run id that sorts by its number."""
    return f"01TEST{number:020d}"


class Node:
    """Use it as a context: the folder goes at the end, and so does every process that was started in it."""

    def __init__(self, build, folder, name):
        self.build = pathlib.Path(build)
        self.folder = pathlib.Path(folder)
        self.mark = f"{os.getpid()}-{name}"
        keep = {
            key: os.environ[key]
            for key in ("PATH", "LANG", "USER", "ASAN_OPTIONS", "UBSAN_OPTIONS")
            if key in os.environ
        }
        self.environment = {
            **keep,
            "PATH": f"{self.build}/bin:{keep['PATH']}",
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "GPUGAUGE_STATE": str(self.folder / "state"),
            "GPUGAUGE_LIBEXEC": str(self.folder / "libexec"),
            "COLUMNS": "1000",
            "GPUGAUGE_DEVICE_LOCK": self.mark,
            "GPUGAUGE_FAULT": self.mark,
            "BUILD": str(self.build),
            "GPUGAUGE_PYTHON": os.environ.get("GPUGAUGE_PYTHON", sys.executable),
            "FAULTS": str(HERE),
            "GPUGAUGE_BASELINES": str(self.folder / "no-shipped-baselines"),
        }
        for place in ("home", "tmp", "state/runs", "libexec"):
            (self.folder / place).mkdir(parents=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def write_family(self, name, gpu, body="leave", describe="describe"):
        libexec = self.folder / "libexec"
        (libexec / f"{name}.samples").write_text(json.dumps(samples(name, gpu)))
        (libexec / f"{name}.definitions").write_text(json.dumps(definitions(name, gpu)))
        script = libexec / f"gpugauge-bench-{name}"
        script.write_text(FAMILY.format(name=name, body=body, describe=describe))
        script.chmod(0o755)

    def use_fake_driver(self, scenario):
        (self.folder / "scenario").write_text(scenario)
        self.environment["GPUGAUGE_FAKE_SCENARIO"] = str(self.folder / "scenario")
        self.environment["LD_LIBRARY_PATH"] = f"{self.build}/tests/fakes/driver"

    def use_fake_runtime(self, plan):
        """The real families that the fake CUDA runtime is linked into, and how its calls go."""
        for family in self.fake_families():
            shutil.copy(family, self.folder / "libexec")
        self.environment["GPUGAUGE_FAKE_CUDA"] = plan

    def fake_families(self):
        """None in a build without CUDA."""
        return sorted((self.build / "tests/fakes/runtime").glob("gpugauge-bench-*"))

    def bash(self, script, seconds, shim=""):
        """(exit code, output, most resident bytes of one process). Code None: it did not end in time."""
        environment = dict(self.environment)
        if shim:
            environment["SHIM"] = f"LD_PRELOAD={self.build}/tests/faults/libshim.so GPUGAUGE_SHIM={shim}"
            script = f'gpugauge() {{ env $SHIM "$BUILD/bin/gpugauge" "$@"; }}\n{script}'
        output = self.folder.with_suffix(".output")
        with open(output, "wb") as file:
            child = subprocess.Popen(
                ["bash", "-c", f'. "$FAULTS/node.bash"\n{script}'],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            deadline = time.monotonic() + seconds
            while True:
                process, status, usage = os.wait4(child.pid, os.WNOHANG)
                if process:
                    break
                if time.monotonic() > deadline:
                    os.killpg(child.pid, signal.SIGKILL)
                    _, status, usage = os.wait4(child.pid, 0)
                    status = None
                    break
                time.sleep(0.01)
            child.returncode = 0  # it was waited for here
        code = None if status is None else os.waitstatus_to_exitcode(status)
        text = output.read_bytes()[-1_000_000:].decode(errors="replace")
        output.unlink()
        return code, text, usage.ru_maxrss * 1024

    def processes(self):
        """Those that were started here and live."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if f"GPUGAUGE_FAULT={self.mark}\0".encode() in (entry / "environ").read_bytes() + b"\0":
                    if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                        found.append(int(entry.name))
            except OSError:
                continue
        return found

    def orphans(self, patience=3.0):
        """Those that do not end within the patience, as pid and command line."""
        deadline = time.monotonic() + patience
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        found = []
        for process in self.processes():
            try:
                words = (
                    pathlib.Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
            except OSError:
                continue
            found.append(f"{process} {words}")
        return found

    def snapshot(self):
        """Path: what tells it from another, of everything in the folder: a file's SHA-256, a link's target, a word for
        the rest."""
        out = {}
        for file in sorted(self.folder.rglob("*")):
            mode = file.lstat().st_mode
            if stat.S_ISLNK(mode):
                digest = f"link to {os.readlink(file)}"
            elif stat.S_ISDIR(mode):
                digest = "folder"
            elif not stat.S_ISREG(mode):
                digest = "neither file nor folder"
            elif file.stat().st_size >= 1 << 24:  # a huge one is not read
                digest = str(file.stat().st_size)
            else:
                digest = hashlib.sha256(file.read_bytes()).hexdigest()
            out[str(file.relative_to(self.folder))] = digest
        return out
