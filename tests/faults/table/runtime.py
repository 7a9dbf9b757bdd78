"""A CUDA call that fails, hangs or lies under the real families of a GPU: they are linked with a CUDA runtime made for tests
(tests/fakes/runtime/plan.hpp holds how a plan is written). No figure of these runs stands for a GPU's."""

from fault import Fault

SMOKE = "gpugauge run --device 0 --profile smoke --quiet --output out.json"
LAUNCH = SMOKE + " --family launch"
COPY = SMOKE + " --family memory"
# Several benchmarks in one process, in an order that is another one each time. Each makes two streams: its own, and one
# that keeps the GPU busy before it.
SEVERAL = (
    "gpugauge run --device 0 --profile quick --quiet --output out.json --family launch --only launch/allocate/pool"
    " --only launch/stream_sync"
)
# In three processes one benchmark each was measured before the error, and kept.
KEPT = """python - <<'END'
import json
ok = {'ok': 0, 'failed': 0, 'skipped': 0}
for process in json.load(open('out.json'))['processes']:
    for one in process.get('samples', {}).get('benchmarks', []):
        ok[one['status']] += 1
        assert (one['status'] == 'ok') == bool(one['batches']['seconds_per_operation']), one
assert ok == %s, ok
END"""


def broken(name, cuda, says, run=LAUNCH, code=1, **more):
    return Fault(
        name, run, code, says, **{"gpu": True, "good": False, "cuda": cuda, "output": "whole", "lacks": "it said: launch/", **more}
    )


def unusable(name, cuda, says, **more):
    """At the first call: the family says so in one sentence, and measures nothing."""
    return broken(name, cuda, f"family launch .*{says}.*nothing was measured", code=3, **more)


ROWS = [
    broken(
        "no fault, so that the others are shown to be one",
        "",
        r"launch/enqueue/runtime/0 .*memory/copy/cold .*kept as",
        run=SMOKE + " --family launch --family memory",
        code=0,
        holds="grep -q 'made for tests, no GPU' out.json",
        lacks="failed|skipped",
    ),
    broken(
        "a whole family without a fault: every kernel that it launches is one that the runtime knows",
        "",
        "launch/after_idle",
        run="gpugauge run --device 0 --profile deep --quiet --output out.json --family launch",
        lacks="cudaErrorInvalidDeviceFunction",
        long=True,
        seconds=200,
    ),
    broken(
        "L2 that a program left set aside: as it was found is kept, and it is given back before anything is measured",
        "",
        r"launch/enqueue/runtime/0 .*kept as",
        code=0,
        scenario="l2_persisting=31457280\nl2_set_aside=20971520",
        holds="""python - <<'END'
import json
context = json.load(open('out.json'))['processes'][0]['samples']['context']
assert context['gpu.l2_persisting_limit'] == '20971520' and context['gpu.l2_persisting_reset'] == 'done', context
assert context['gpu.l2_read'] == 'not measured: the words that were read do not add up', context
END""",
        lacks="failed|skipped",
    ),
    broken(
        "L2 that a program left set aside and that cannot be given back is said, and all is measured",
        "cudaDeviceSetLimit=2;cudaMemset:1-1=2",
        r"launch/enqueue/runtime/0 .*kept as",
        code=0,
        scenario="l2_persisting=31457280\nl2_set_aside=20971520",
        holds="""python - <<'END'
import json
context = json.load(open('out.json'))['processes'][0]['samples']['context']
assert context['gpu.l2_persisting_reset'] == 'cudaErrorMemoryAllocation (2)', context
assert context['gpu.l2_read'].startswith('not measured: filling what is read'), context
END""",
        lacks="failed|skipped",
    ),
    broken(
        "the kernel that compares does nothing: what was not compared is not verified",
        "compare_kernel=idle",
        r"memory/copy/cold failed: .*0 of [0-9]+ elements were compared",
        run=COPY,
    ),
    broken(
        "kernels that chase do nothing: where a chase began is no place where one may end",
        "",
        r"memory/latency/l1 failed: wrong result: the chase stands where the cycle ends",
        run="gpugauge run --device 0 --profile deep --quiet --output out.json --only memory/latency/l1",
    ),
    broken(
        "no context that waits by blocking can be made",
        "cudaGetDeviceFlags=1",
        r"launch/blocking_stream_sync failed: reading how the context waits failed: .* \(1\)",
        run="gpugauge run --device 0 --profile deep --quiet --output out.json --only launch/blocking_stream_sync",
    ),
    broken(
        "a context that waits by spinning is made for the twin of one that blocks",
        "",
        r"launch/spinning_stream_sync .*kept as",
        run="gpugauge run --device 0 --profile exhaustive --quiet --output out.json --only launch/spinning_stream_sync",
        code=0,
        lacks="failed|skipped",
    ),
    broken(
        "the GPU lets one process in only, and a benchmark needs a second one",
        "cudaGetDeviceFlags=46",
        r"launch/blocking_stream_sync skipped: the GPU's compute mode is EXCLUSIVE_PROCESS.* \(46\)",
        run="gpugauge run --device 0 --profile deep --quiet --output out.json --only launch/blocking_stream_sync",
        code=3,
        scenario="compute_mode=3",
    ),
    unusable("the driver is older than the runtime", "cudaGetDeviceCount=35", r"cudaErrorInsufficientDriver \(35\)"),
    unusable("no GPU is shown to the family", "cudaGetDeviceCount=100", r"Counting the GPUs failed: cudaErrorNoDevice"),
    unusable("the context is refused", "cudaInitDevice=46", r"Making a context failed: cudaErrorDevicesUnavailable \(46\)"),
    unusable("libcuda of another version", "cudaGetDeviceCount=803", r"cudaErrorSystemDriverMismatch \(803\)"),
    unusable("a forward-compatibility libcuda", "cudaGetDeviceCount=804", r"cudaErrorCompatNotSupportedOnDevice \(804\)"),
    unusable(
        "no machine code for this GPU",
        "empty_kernel=209",
        r"a first kernel failed: cudaErrorNoKernelImageForDevice \(209\).*The GPU has compute capability 9.0",
    ),
    unusable("PTX that is too new", "cudaDeviceSynchronize=222", r"cudaErrorUnsupportedPtxVersion \(222\).*CUDA 13"),
    unusable(
        "the context is never made",
        "cudaInitDevice=hang",
        "exceeded its time limit of 1 s and was ended",
        run=LAUNCH + " --process-limit 1",
    ),
    broken(
        "memory runs out in mid-run",
        "cudaMalloc:2=2",
        r"launch/enqueue/runtime/0 (is )?unavailable: allocating GPU memory: cudaErrorMemoryAllocation \(2\).*: something else holds the rest; `nvidia-smi` shows",
        code=3,
    ),
    broken(
        "the GPU is too small for a benchmark",
        "",
        "memory/copy/cold skipped: needs 2.0 GiB of GPU memory beside a reserve of 0.1 GiB, 1.0 GiB are free",
        run=COPY,
        code=3,
        scenario="memory_mib=1024",
    ),
    broken(
        "something else holds the GPU's memory",
        "",
        r"memory/copy/cold (is )?unavailable: needs 2.0 GiB of GPU memory .*: something else holds the rest; `nvidia-smi` shows",
        run=COPY,
        code=3,
        scenario="memory_held_mib=3072",
    ),
    broken(
        "code of one kernel for older GPUs only, which this one runs as well",
        "cudaFuncGetAttributes=old",
        r"memory/read/bulk skipped: launching .*: cudaErrorNoKernelImageForDevice \(209\)",
        run="gpugauge run --device 0 --profile deep --quiet --output out.json --only memory/read/bulk",
        code=3,
    ),
    broken(
        "code of kernels that begin early for older GPUs only, in which they wait for nothing",
        "cudaFuncGetAttributes=old",
        r"launch/programmatic/programmatic skipped: whether kernels can begin early: cudaErrorNoKernelImageForDevice \(209\)",
        run="gpugauge run --device 0 --profile deep --quiet --output out.json --only launch/programmatic/programmatic",
        code=3,
        lacks="failed|it said: launch/",
    ),
    broken(
        "the GPU's memory is gone before the first byte",
        "cudaMemGetInfo=2",
        r"memory/copy/cold skipped: reading the free GPU memory: cudaErrorMemoryAllocation \(2\)",
        run=COPY,
        code=3,
    ),
    broken(
        "a kernel touches what is not its own, seen when it is waited for",
        "ignoring:100=700",
        r"launch/enqueue/runtime/0 failed: waiting for the GPU failed: cudaErrorIllegalAddress \(700\)",
    ),
    broken(
        "a launch is refused",
        "cudaLaunchKernel:2000=98",
        r"launch/enqueue/runtime/0 failed: launching a kernel failed: cudaErrorInvalidDeviceFunction \(98\)",
    ),
    broken(
        "an error that takes the context, after a benchmark",
        "cudaStreamCreateWithFlags:3=719",
        r"1 of 2 benchmarks failed .*creating a stream failed: cudaErrorLaunchFailure \(719\)",
        run=SEVERAL,
        holds=KEPT % "{'ok': 3, 'failed': 3, 'skipped': 0}",
    ),
    broken(
        "an error that takes the context, before a benchmark",
        "cudaStreamCreateWithFlags:1=719",
        r"skipped: not measured: after launch/\S+ every CUDA call of the process is answered"
        r" with cudaErrorLaunchFailure \(719\)",
        run=SEVERAL,
        holds=KEPT % "{'ok': 0, 'failed': 3, 'skipped': 3}",
    ),
    broken(
        "an ECC error that cannot be corrected",
        "cudaStreamSynchronize:3=214",
        r"launch/enqueue/runtime/0 failed: waiting for the GPU failed: cudaErrorECCUncorrectable \(214\)",
    ),
    broken(
        "the GPU falls off the bus, and NVML says so",
        "ignoring:200=lost",
        r"cudaErrorLaunchFailure \(719\)",
        run=LAUNCH.replace("gpugauge run", "gpugauge check").replace(" --output out.json", ""),
        output="none",
        changes="state/runs",
    ),
    broken(
        "a call that never returns, after a benchmark",
        "cudaStreamCreateWithFlags:3=hang",
        # A limit that leaves a busy machine the time for the benchmark before it.
        r"exceeded its time limit of 10 s and was ended while launch/\S+ was measured",
        run=SEVERAL + " --process-limit 10",
        # The third process is not started: two have told what it would do.
        holds=KEPT % "{'ok': 2, 'failed': 2, 'skipped': 0}",
        seconds=90,
    ),
    broken(
        "the driver crashes, after a benchmark",
        "cudaStreamCreateWithFlags:3=crash",
        r"was ended by signal 11 \(SIGSEGV\) while launch/\S+ was measured",
        run=SEVERAL,
        holds=KEPT % "{'ok': 3, 'failed': 3, 'skipped': 0}",
    ),
    broken(
        "the driver ends the process, after a benchmark",
        "cudaStreamCreateWithFlags:3=exit",
        r"ended with exit code 7 while launch/\S+ was measured",
        run=SEVERAL,
        holds=KEPT % "{'ok': 3, 'failed': 3, 'skipped': 0}",
    ),
    broken(
        "check with a driver that crashes after a benchmark",
        "cudaStreamCreateWithFlags:3=crash",
        r"launch/\S+ failed: .*SIGSEGV.*while this was measured.*failed: ",
        run=SEVERAL.replace("gpugauge run", "gpugauge check").replace(" --output out.json", ""),
        output="none",
        changes="state/runs",
        seconds=90,
    ),
    broken(
        "kernels that are launched and do not run",
        "any_kernel=idle",
        "launch/enqueue/runtime/0 failed: wrong result: kernels that ran, less those that were launched",
    ),
    broken(
        "a copy that is launched and does not run",
        "any_kernel=idle",
        "memory/copy/cold failed: kernels were launched without an error and did not run",
        run=COPY,
    ),
    broken(
        "kernels of which some do not run",
        "counting_kernel:7-8=idle",
        "wrong result: kernels that ran, less those that were launched, error 2 exceeds 0",
    ),
    broken(
        "a GPU's clock that stands still",
        "cudaEventElapsedTime=zero",
        r"memory/copy/cold failed: the timer cuda_event (shows no time for|cannot tell the time of)",
        run=COPY,
    ),
    broken(
        "a GPU's clock that is none",
        "cudaEventElapsedTime=nan",
        "memory/copy/cold failed: the timer cuda_event reported nan seconds for 1 operations",
        run=COPY,
    ),
    broken(
        "an event that cannot be recorded",
        "cudaEventRecord:4=999",
        r"memory/copy/cold failed: recording an event failed: cudaErrorUnknown \(999\)",
        run=COPY,
    ),
]
