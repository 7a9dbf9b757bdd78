"""The command under strace: what it starts, and what it changes. Families are scripts, whose interpreter the kernel starts
without a call of its own: every call that starts a shell is the command's."""

from fault import Fault

STRACE = "command -v strace >/dev/null || { echo 'it needs strace'; false; }"
# A Python environment that holds a framework, and a tool of the CUDA toolkit.
VENV = (
    'at=venv/lib/$("$GPUGAUGE_PYTHON" -c \'import sys; print("python%d.%d" % sys.version_info[:2])\')/site-packages; mkdir -p'
    ' venv/bin $at/torch $at/torch-2.8.0.dist-info; ln -s "$("$GPUGAUGE_PYTHON" -c \'import sys; print(sys.executable)\')"'
    " venv/bin/python3; ln -s python3 venv/bin/python; : >venv/pyvenv.cfg; echo '__version__ = \"2.8.0\"' >$at/torch/__init__.py; printf 'Metadata-Version:"
    " 2.1\\nName: torch\\nVersion: 2.8.0\\n' >$at/torch-2.8.0.dist-info/METADATA"
)
TOOL = "printf '#!/bin/sh\\nexit 1\\n' >cuobjdump; chmod +x cuobjdump"


def starts(name, command, program, libexec="libexec", **more):
    """Whatever it is told, it starts no shell; and it did start what it is there to start. LeakSanitizer cannot be traced."""
    return Fault(
        f"no shell is started by {name}",
        f"strace -f -E ASAN_OPTIONS=detect_leaks=0 -E GPUGAUGE_LIBEXEC={libexec} -e trace=execve -o calls gpugauge {command} >said 2>&1; grep -cE 'execve\\(\"[^\"]*{program}\"' calls; "
        "! grep -E 'execve\\(\"([^\"]*/)?(ba|da|z|k|c|tc|fi)?sh\"' calls",
        0,
        "^ *[1-9][0-9]* *$",
        needs=STRACE,
        seconds=60,
        **more,
    )


def changes(name, command, libexec="libexec", **more):
    """What it changes lies in the row's folder, which holds its output, its state and its temporary files."""
    return Fault(
        f"nothing is changed elsewhere by {name}",
        f"strace -f -y -E GPUGAUGE_LIBEXEC={libexec} -e trace=file -o calls gpugauge {command} >said 2>&1; python \"$FAULTS/writes.py\" calls .",
        0,
        "^ *$",
        seconds=60,
        **{"needs": STRACE, **more},
    )


# The families and probes of this build, which are no scripts.
REAL = '"$BUILD/libexec/gpugauge"'
HISTORY = "has_history && { " + STRACE + "; }"
PINNED = "gpugauge baseline create --name mine earlier.json >/dev/null; "
EXPORTED = PINNED + "gpugauge baseline export mine it.json >/dev/null; rm -r state/baselines"
INGESTED = "gpugauge history ingest --store s.sqlite earlier.json >/dev/null"
MADE = "state/(baselines|site|upgrades)(/.*)?"
# One real benchmark, whose run takes long under strace.
HOST_FAMILY = "check --device host --profile smoke --family host --only 'host/clock_gettime*' --quiet"

ROWS = [
    starts("run", "run $HOST --output out.json", "gpugauge-bench-good", output="whole"),
    starts("check", "check --profile smoke --quiet", "gpugauge-bench-good", gpu=True),
    starts("doctor --import", "doctor --import --python ./venv", "venv/bin/python3?", before=VENV, makes="venv/.*"),
    starts(
        "frameworks",
        "frameworks torch --python ./venv",
        "venv/bin/python3?",
        libexec=REAL,
        before=VENV,
        makes="venv/.*",
    ),
    starts("codegen", "codegen --cuobjdump ./cuobjdump", "cuobjdump", before=TOOL),
    starts(
        "selftest --inject",
        "selftest --inject --device host --profile smoke --only busy_core --quiet",
        "gpugauge-bench-good",
    ),
    changes("run", "run $HOST --output out.json", output="whole"),
    changes("check", "check $HOST --report json=report.json --report html=x.html --observation seen.json"),
    changes("compare", "compare earlier.json --report markdown=x.md"),
    changes("doctor", "doctor --import --python ./venv --report markdown=x.md", before=VENV, makes="venv/.*"),
    changes(
        "baseline create",
        "baseline create --name mine earlier.json",
        makes="state/baselines(/mine(/baseline.json|/log.*|/runs|/runs/[0-9A-Z]{26}.json)?)?",
    ),
    changes(
        "history ingest",
        "history ingest --store s.sqlite earlier.json",
        needs=HISTORY,
    ),
    starts("check with a family of this build", HOST_FAMILY, "gpugauge-bench-host", libexec=REAL),
    starts("upgrade begin", "upgrade begin $HOST --rounds 2", "gpugauge-bench-good", makes=MADE),
    changes(
        "check with a family of this build",
        HOST_FAMILY + " --report html=x.html",
        libexec=REAL,
        holds="grep -q host/clock_gettime x.html",
    ),
    changes(
        "upgrade begin",
        "upgrade begin $HOST --rounds 2",
        makes=MADE,
        holds="gpugauge upgrade status",
    ),
    changes(
        "fleet",
        "fleet earlier.json state/runs --emit-retest again.txt --report json=x.json",
        holds="[ -e again.txt ] && [ -s x.json ]",
    ),
    changes(
        "fleet over a history",
        "fleet --store s.sqlite --emit-retest again.txt",
        before=INGESTED,
        needs=HISTORY,
        holds="[ -e again.txt ]",
    ),
    changes(
        "history export",
        "history export --store s.sqlite --output values.csv",
        before=INGESTED,
        needs=HISTORY,
        holds="grep -q good/op values.csv",
    ),
    changes(
        "baseline export", "baseline export mine it.json", before=PINNED, makes=MADE, holds="[ -s it.json ]"
    ),
    changes(
        "baseline import",
        "baseline import it.json",
        before=EXPORTED,
        makes=MADE,
        holds="gpugauge baseline show mine",
    ),
    changes(
        "baseline accept",
        "baseline accept mine --reason seen",
        before=PINNED.replace("create", "create --candidate"),
        changes="state/baselines/mine/log",
        holds="grep -q seen state/baselines/mine/log.jsonl",
    ),
    changes(
        "frameworks",
        "frameworks torch --python ./venv --output f.json",
        libexec=REAL,
        before=VENV,
        makes="venv/.*",
        holds="[ -s f.json ]",
    ),
]
