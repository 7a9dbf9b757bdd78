"""Whole and valid files of very many entries: the time that a reader takes grows as the file does."""

from fault import Fault
from table.baselines import MAKE


def large(name, make, command, code, says, first="", **more):
    """A whole and valid file of so many entries that a reader whose time grows with their square needs far more than these
    20 s; ours takes a second or two. `make` is Python that calls save(value, file) after `first`, in bash."""
    script = f"""import json
def save(value, file="x.json"):
    json.dump(value, open(file, "w"))
{make}"""
    return Fault(name, command, code, says, before=f"{first}python - <<'PY'\n{script}\nPY", seconds=20, **more)


# What a lock pins and an inventory holds.
KEYS = 'keys = [f"library.x.{i}.version" for i in range(100_000)]\n'
INVENTORY = (
    'save({"schema": "gpugauge.inventory/1", "items": [{"key": key, "answer": "present", "value": "1.2", "source": "s"}'
    " for key in keys]}"
)
NEW_DRIVER = (
    'save({"schema": "gpugauge.inventory/1", "items": [{"key": "driver.version", "answer": "present", "value": "580.95.05",'
    ' "source": "s"}]}, "node.json")\n'
)
# The code of one kernel, my::k, whichever file it is asked of.
CUOBJDUMP = r"""cat >cuobjdump <<'SH'
#!/bin/sh
printf '\nFatbin elf code:\n================\narch = sm_90a\n'
case $1 in
--dump-sass) printf '\n\tcode for sm_90a\n\t\tFunction : _ZN2my1kEv\n        /*0000*/  EXIT ;  /* 0x0 */\n\t\t..........\n' ;;
*) printf 'code version = [1,8]\n\nResource usage:\n Function _ZN2my1kEv:\n  REG:8 STACK:0 SHARED:0 LOCAL:0\n' ;;
esac
SH
chmod +x cuobjdump
"""
DECISIONS = """import hashlib
bundle = json.load(open("it.json"))
files = bundle["files"]
lines = [files["log.jsonl"].strip()]
line = lines[0]
for _ in range(40_000):
    entry = json.loads(line)
    entry.update(sequence=entry["sequence"] + 1, previous=hashlib.sha256(line.encode()).hexdigest(), reason="again")
    line = json.dumps(entry, separators=(",", ":"))
    lines.append(line)
files["log.jsonl"] = "\\n".join(lines) + "\\n"
files["log.head"] = json.dumps({"lines": entry["sequence"], "sha256": hashlib.sha256(line.encode()).hexdigest()})
save(bundle)"""


ROWS = [
    large(
        "a lock",
        KEYS
        + INVENTORY
        + ', "node.json")\nsave({"schema": "gpugauge.lock/1", "created": "2026-01-01T00:00:00Z",'
        ' "fields": {key: {"value": "1.2", "match": "exact"} for key in keys}})',
        "gpugauge doctor verify x.json --inventory node.json",
        0,
        r"as locked \(100000 fields compared",
    ),
    large("an inventory", KEYS + INVENTORY + ")", "gpugauge doctor --inventory x.json", 3, "cannot judge: this machine shows no"),
    large(
        "an observation",
        'save({"schema": "gpugauge.observation/1", "metrics": 15_000 * [{"class": "gemm16", "factor": 1.5,'
        ' "scope": {"dtype": "bf16", "library": "cublas"}}]})',
        "gpugauge diagnose x.json",
        1,
        "cublas_version_regression",
    ),
    large(
        "an image",
        NEW_DRIVER + 'save([{"Config": {"Env": ["CUDA_VERSION=12.8"] + [f"V{i}=1" for i in range(200_000)]}}])',
        "gpugauge doctor --image-env x.json --inventory node.json",
        0,
        "This image runs on this host",
    ),
    large(
        "a policy of the most bytes that are read",
        'save({"schema": "gpugauge.policy/1", "metrics": 29_000 * [{"metric": "*", "advisory": True}]})\n'
        'save({**json.load(open("earlier.json")), "id": "01J00000000000000000000099",'
        ' "started": "2026-01-01T00:00:00.001Z"}, "after.json")',
        "gpugauge compare --policy x.json --before earlier.json --after after.json",
        0,
        "good/op",
    ),
    large(
        "Google Benchmark's JSON",
        'for file, time in (("before.json", 1.5), ("after.json", 1.51)):\n    save({"context": {}, "benchmarks": [{"name": f"b{i % 5000}",'
        ' "run_name": f"b{i % 5000}", "run_type": "iteration", "iterations": 9, "real_time": time, "cpu_time": time,'
        ' "time_unit": "ns"} for i in range(100_000)]}, file)',
        "gpugauge compare --before before.json --after after.json",
        0,
        "of 5000 metrics",
    ),
    large(
        "a baseline of many decisions",
        DECISIONS,
        "gpugauge baseline import x.json --name big",
        0,
        "Baseline big of host imported: 5 rounds",
        first=MAKE + "gpugauge baseline export mine it.json >/dev/null\n",
        makes="state/site.*",
    ),
    large(
        "expectations of code",
        'save({"schema": "gpugauge-codegen-1", "kernels": 100_000 * [{"kernel": "my::k*", "registers_most": 9}]})',
        "gpugauge codegen earlier.json --cuobjdump ./cuobjdump --expect x.json",
        0,
        "pass: 1 kernel as declared",
        first=CUOBJDUMP,
    ),
    large(
        "a list of runs",
        'save(20_000 * ["earlier.json"])',
        "gpugauge history ingest --store s.sqlite x.json",
        0,
        "1 of 20000 files stored .*, 19999 known already",
        needs="has_history",
    ),
]
