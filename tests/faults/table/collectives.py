"""What goes wrong in NCCL and in CUPTI under the collectives of one GPU and of two ranks: linked with an NCCL made for
tests, as the CUDA runtime under it. No figure of these runs stands for a GPU's."""

from table.runtime import broken

# Started by itself: with one GPU there are no links to measure. It ends where it waits for what will never end.
COLLECTIVES = (
    '"$BUILD/tests/fakes/runtime/collectives/gpugauge-bench-nccl" --gpugauge_window=0.02 --gpugauge_samples=ranks.json'
    " --benchmark_filter=nccl/all_reduce/8B"
)

# Killed as soon as NCCL has opened its log, which is looked for under every name. {} is one word more.
KILLED = (
    COLLECTIVES.replace("ranks.json", "{}")
    + """ & for n in $(seq 200); do find . -path '*nccl*.log' | grep -q . && break; sleep .1; done
kill -KILL $!; wait $! 2>/dev/null; echo "left: [$(find tmp -mindepth 1 -maxdepth 1 -printf '%f of mode %m')]"
"""
)

NEEDS_CUPTI = '; test -d "$BUILD/tests/fakes/runtime/cupti" || { echo "built without the headers of CUPTI"; exit 1; }'
CUPTI = 'LD_LIBRARY_PATH="$BUILD/tests/fakes/runtime/cupti:$LD_LIBRARY_PATH" GPUGAUGE_FAKE_CUPTI={} '

NEEDS_NCCL = 'test -x "$BUILD/tests/fakes/runtime/collectives/gpugauge-bench-nccl" || { echo "built without NCCL"; exit 1; }'
# The one benchmark was measured and verified before its kernels were looked at.
LEFT_BY_CUPTI = """python - <<'END'
import json
left = json.load(open('ranks.json'))
assert left['status'] == 'failed' and 'GPUGAUGE_KERNEL_NAMES=off' in left['reason'], left['reason']
(one,) = left['benchmarks']
assert one['status'] == 'ok' and one['metrics'] and one['verifications'], one
END"""


# The next one that is started: it removes what a killed one left under TMPDIR.
NEXT = COLLECTIVES.replace(" --gpugauge_samples=ranks.json", "") + " >log 2>&1; "


def collective(name, cuda, code, says, cupti="", then="", only="nccl/all_reduce/8B", **more):
    """With `cupti` the fake CUPTI is there and told that word, else there is none. `then` is done afterwards."""
    run = more.pop("run", None) or COLLECTIVES.replace("nccl/all_reduce/8B", only)
    return broken(
        name,
        cuda,
        says,
        run=f"{CUPTI.format(cupti)}{run}; ended=$?; {then}exit $ended" if cupti else run,
        code=code,
        output="none",
        needs=NEEDS_NCCL + (NEEDS_CUPTI if cupti else ""),
        **more,
    )

# Two ranks on one machine, each with a plan of its own: {0} and {1}. The GPU of the second has another UUID.
RANKS = (
    "export GPUGAUGE_RENDEZVOUS=127.0.0.1:$((30000 + RANDOM % 2000)) GPUGAUGE_RENDEZVOUS_TIMEOUT=20 GPUGAUGE_RANKS=2; "
    + 'cp "$GPUGAUGE_FAKE_SCENARIO" second; echo runtime_uuid_end=2 >>second; '
    + "GPUGAUGE_RANK=0 GPUGAUGE_FAKE_CUDA='{0}' " + COLLECTIVES + " >out.0 2>&1 & "
    + "GPUGAUGE_RANK=1 GPUGAUGE_FAKE_CUDA='{1}' GPUGAUGE_FAKE_SCENARIO=$PWD/second " + COLLECTIVES + " >out.1 2>&1; "
    + "echo rank 1 ended with $?; wait $!; echo rank 0 ended with $?; cat out.0 out.1"
)

# Launches do not wait for their kernels, as on a GPU: nothing tells the runtime's holder that it holds alone.
SEVERAL = "blocker_kernel=idle"

# In the shortest window a collective is begun 31 times, the last time for CUPTI: 3 to warm up, 5 to find the pace, 20 that are
# measured, one that is verified and one whose choices are logged.
STUCK = "ncclAllReduce:31=stuck"

# Of every benchmark in a sample file: its GPU is only in use. {0} is the file, {1} what each says.
ALL_IN_USE = """python - <<'END'
import json, re
left = json.load(open('{0}'))['benchmarks']
for one in left:
    assert one['status'] == 'unavailable' and one['notes']['occupied'] == 'true' and re.search(r'{1}', one['reason']), one
assert left and len(set(one['reason'] for one in left)) == 1, left
END
[ $? = 0 ] || exit 1
"""

# Of two GPUs: what lies between them is a device to the command.
BETWEEN = """mkdir own; cp "$BUILD/tests/fakes/runtime/collectives/gpugauge-bench-nccl" own/; export GPUGAUGE_LIBEXEC="$PWD/own"
gpugauge run --device links --profile standard --only nccl/all_reduce/256MiB --quiet --output out.json & one=$!
for n in $(seq 200); do find . -path '*nccl*.log' | grep -q . && break; sleep .1; done
sleep 1; kill -TERM $one; wait $one"""


def asked_to_end(name, cuda):
    return broken(
        name, f"{SEVERAL};{cuda}", r"nccl/all_reduce/256MiB interrupted: signal 15 \(SIGTERM\)", run=BETWEEN, code=3, output="partial", needs=NEEDS_NCCL, makes="own/.*|own",
        scenario="devices=2\nruntime_devices=2\nnvml_devices=2",
        holds="""python - <<'END'
import json
(process,) = json.load(open('out.json'))['processes']
(one,) = process['samples']['benchmarks']
assert one['status'] == 'interrupted' and one['reason'].startswith('signal 15'), (process['reason'], one)
END""",
    )


# What a rank that ended inside NCCL left: why, of the benchmark as well.
LEFT_INSIDE = """python - <<'END'
import json, re
left = json.load(open('%s'))
assert left['status'] == 'failed' and 'collectives were given up' in left['reason'], left['reason']
(one,) = left['benchmarks']
assert one['status'] == 'failed' and re.search(r'%s', one['reason']), one
END"""


ROWS = [
    collective(
        "collectives without a fault, so that the others are shown to be one", "", 0, "nccl/all_reduce/8B.*latency=", lacks="ERROR"
    ),
    broken(
        "killed while NCCL writes its log, started by hand: the log lies where nobody else comes in, and goes with the next",
        "ncclAllReduce:10=hang",
        r"left: \[\.gpugauge-[A-Za-z0-9]{6} of mode 700\] .*nccl/all_reduce/8B.*latency=",
        run=KILLED.format("ranks.json") + "export GPUGAUGE_FAKE_CUDA=; " + COLLECTIVES,
        code=0,
        output="none",
        needs=NEEDS_NCCL,
        seconds=60,
    ),
    broken(
        "killed while NCCL writes its log, started by the command: the log lies in the command's own folder",
        "ncclAllReduce:10=hang",
        r"left: \[\]",
        run="mkdir -m 700 own; " + KILLED.format("own/ranks.json --gpugauge_parent=$$") + "rm -r own",
        code=0,
        output="none",
        needs=NEEDS_NCCL,
        seconds=60,
    ),
    collective(
        "CUPTI names the kernel of a collective, so that the others are shown to be one",
        "",
        0,
        "nccl/all_reduce/8B.*latency=",
        cupti="names",
        holds="grep -q '\"kernel\": \"ncclDevKernel_tested()\"' ranks.json",
    ),
    collective(
        "CUPTI refuses",
        "",
        0,
        "nccl/all_reduce/8B.*latency=",
        cupti="refuse",
        holds="grep -q 'kernel names unknown: CUPTI refused: an error of the fake CUPTI' ranks.json",
    ),
    collective(
        "CUPTI ends the process: what was measured before stands, and how to measure without it",
        "",
        137,
        "",
        cupti="crash",
        then=NEXT,
        holds=LEFT_BY_CUPTI,
    ),
    collective(
        "a collective that never ends: the communicators are aborted before memory is freed, which would wait for it",
        "ncclAllReduce:10=endless",
        1,
        "ERROR OCCURRED: 'a collective on GPU-",
        holds="grep -q 'a collective on GPU-.* failed: an error of the fake NCCL' ranks.json",
    ),
    collective(
        "launches that wait for their kernels, and several GPUs in one process: no collective is begun that would never end",
        "", 0, "launches wait for their kernels here .* or start one rank a GPU", scenario="runtime_devices=2",
        holds="grep -q '\"status\": \"unavailable\"' ranks.json",
    ),
    collective(
        "collectives of three GPUs in one process without a fault, so that the others are shown to be one",
        SEVERAL, 0, "nccl/all_reduce/8B.*latency=", scenario="runtime_devices=3", lacks="ERROR",
    ),
    collective(
        "a reduction to one of three GPUs: what the others hold is nobody's word, and is not compared",
        SEVERAL + ";compare_kernel:2=719", 0, "nccl/reduce/8B.*latency=", only="^nccl/reduce/8B$", scenario="runtime_devices=3", lacks="ERROR",
    ),
    collective(
        "nobody else is let in to one of three GPUs: it is named as in use by each collective, and none has failed",
        SEVERAL + ";cudaSetDevice@1=46", 0,
        r"ERROR OCCURRED: 'GPU 1 \(GPU-aa\S*01\): choosing a GPU failed: cudaErrorDevicesUnavailable \(46\)",
        only="nccl/all_reduce", scenario="runtime_devices=3", holds=ALL_IN_USE.format("ranks.json", "^GPU 1 .*\\(46\\)"),
    ),
    collective(
        "one of three GPUs has no memory for a stream: it is in use, and none has failed",
        SEVERAL + ";cudaStreamCreateWithFlags@2=2", 0, "ERROR OCCURRED: 'GPU 2 ",
        only="nccl/all_reduce", scenario="runtime_devices=3",
        holds=ALL_IN_USE.format("ranks.json", "^GPU 2 .*\\): creating a stream: cudaErrorMemoryAllocation .*: something else holds the rest"),
    ),
    collective(
        "something else leaves one of three GPUs less memory than NCCL needs: NCCL is not asked, which would say that CUDA failed",
        SEVERAL, 0, "ERROR OCCURRED: 'GPU 1 ",
        only="nccl/all_reduce", scenario="runtime_devices=3\ngpu.1.memory_held_mib=3500",
        holds=ALL_IN_USE.format("ranks.json", "^GPU 1 .*\\): NCCL needs 1GiB of GPU memory for its communicators, 596 MiB are free: something else"),
    ),
    collective(
        "one of three GPUs fails beside one that is in use: the failure counts",
        SEVERAL + ";cudaSetDevice@1=46;cudaStreamCreateWithFlags@2=999", 1,
        r"ERROR OCCURRED: 'GPU 2 \(GPU-aa\S*02\): creating a stream failed: cudaErrorUnknown \(999\)",
        scenario="runtime_devices=3",
    ),
    collective(
        "the GPU of one of two ranks is in use: both say which, and neither waits for a communicator",
        "", 0, "rank 1 ended with 0 rank 0 ended with 0 ",
        run=RANKS.format("", "").replace("=2 >>second", "=2 >>second; echo memory_held_mib=3500 >>second"),
        makes=r".*ranks\.rank[01]\.json",
        holds="".join(ALL_IN_USE.format(f"ranks.rank{rank}.json", r"^rank 1 \(.*\): GPU 0 \(GPU-aa.*02\): NCCL needs") for rank in (0, 1)),
    ),
    collective(
        "an interrupt while CUPTI watches a collective that never ends: the communicators are aborted before CUPTI waits for the GPU",
        STUCK, 130, "", cupti="names", run=COLLECTIVES.replace("0.02", "1e-9") + " & sleep 3; kill $!; wait $!",
        holds="""python - <<'END'
import json
(one,) = json.load(open('ranks.json'))['benchmarks']
assert one['status'] == 'interrupted' and one['reason'].startswith('signal 15'), one
END""",
    ),
    collective(
        "two ranks without a fault, so that the others are shown to be one",
        "", 0, "rank 1 ended with 0 rank 0 ended with 0 .*nccl/all_reduce/8B.*latency=.*nccl/all_reduce/8B.*latency=",
        run=RANKS.format("", ""), makes=r".*ranks\.rank[01]\.json", lacks="ERROR",
        holds="grep -q '\"slowest_rank\": \"GPU-' ranks.rank1.json",
    ),
    collective(
        "a rank that is stuck inside NCCL while the other gives up: both end with the same sentence, in time",
        "", 0,
        "rank 1 ended with 1 rank 0 ended with 1 .*"
        r"gpugauge-bench-nccl: rank 0 \(.*\) gave up: enqueueing a collective on GPU-.*inside NCCL, and this process ends",
        run=RANKS.format("ncclAllReduce:10=1", "ncclAllReduce:10=hang"),
        makes=r".*ranks\.rank[01]\.json",
        holds=LEFT_INSIDE % ("ranks.rank1.json", "^rank 0 .* gave up: enqueueing a collective on GPU-"),
    ),
    collective(
        "a rank that is stuck inside NCCL for good: it ends by itself, and the other hears why",
        "", 0,
        "rank 1 ended with 1 rank 0 ended with 1 .*rank 1 .* gave up: enqueueing a collective on GPU-.* did not come back within 60 s",
        run=RANKS.format("", "ncclAllReduce:10=hang"),
        makes=r".*ranks\.rank[01]\.json",
        holds=LEFT_INSIDE % ("ranks.rank1.json", "^enqueueing a collective on GPU-.* did not come back within 60 s"),
        seconds=100, long=True,
    ),
    collective(
        "a process stuck inside NCCL that is asked to end: it ends, and says what it was in",
        "ncclAllReduce:10=hang", 0,
        r"signal 15 \(SIGTERM\) ended the process; it was still inside NCCL, and this process ends .*ended with 130",
        run=COLLECTIVES + " & sleep 2; kill $!; wait $!; echo ended with $?",
        holds="""python - <<'END'
import json
left = json.load(open('ranks.json'))
(one,) = left['benchmarks']
for it in (left, one):
    assert it['status'] == 'interrupted' and it['reason'].startswith('signal 15'), it
END""",
    ),
    # As the command does it: it kills what does not end within two seconds.
    asked_to_end(
        "the command asks a process to end that is stuck inside NCCL: it keeps what it was in before it is killed",
        "ncclAllReduce:10=hang",
    ),
    asked_to_end(
        "the command asks a process to end whose collective never ends: it keeps what it was in before it is killed",
        "ncclAllReduce:10=stuck",
    ),
    collective(
        "NCCL's communicators are never made: the process says so before the command would end it",
        SEVERAL + ";ncclCommInitAll=hang", 1,
        r"making NCCL's communicators on 2 GPUs of \S+ did not come back within 90 s; it was still inside NCCL",
        scenario="runtime_devices=2",
        holds=LEFT_INSIDE % ("ranks.json", "^making NCCL.s communicators on 2 GPUs of .* did not come back within 90 s"),
        seconds=120, long=True,
    ),
    collective(
        "something else holds memory that a sweep of collectives has room for: no shorter one is measured",
        "",
        0,
        "nccl/all_reduce/sweep.*needs two buffers of 1GiB and a tenth .*: something else holds the rest",
        only="nccl/all_reduce/sweep",
        scenario="memory_held_mib=3072",
        holds="grep -q '\"status\": \"unavailable\"' ranks.json && grep -q '\"occupied\": \"true\"' ranks.json",
    ),
    collective(
        "a GPU of the collectives on which no event can be made: it is named",
        "cudaEventCreateWithFlags=999", 1,
        r"ERROR OCCURRED: 'GPU 0 \(GPU-[0-9a-f-]{36}\): creating an event failed: cudaErrorUnknown \(999\)",
    ),
    collective(
        "no code to fill the input of a collective on this GPU",
        "cudaLaunchKernel:2=209", 0,
        r"ERROR OCCURRED: 'filling the input: cudaErrorNoKernelImageForDevice \(209\)",
        holds="grep -q '\"status\": \"skipped\"' ranks.json",
    ),
    collective(
        "a collective that cannot be enqueued while another is in flight",
        "ncclAllReduce:10-10=endless;ncclAllReduce:11=1", 1,
        "ERROR OCCURRED: 'enqueueing a collective on GPU-",
    ),
]
