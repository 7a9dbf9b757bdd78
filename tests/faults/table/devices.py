"""A driver, a management library or a GPU that is not as it should be. The driver is a fake (tests/fakes)."""

import json
import re

from fault import Fault

RUN = "gpugauge run --profile smoke --quiet --output out.json"
CHECK = "gpugauge check --profile smoke --quiet"
NONE = "cannot judge: no usable GPU, nothing was measured"
SLOWLY = "sleep 3; leave"  # measures long enough that NVML, too, can answer or fail
EDIT = """sed 's|{}|{}|' "${{0%/*}}/bad.samples" >"$samples"; exit 1"""

SHOWN = (
    """sed 's|"context": {{}}|"context": {{"gpu.uuid": "{}", "gpu.visible_count": "{}"}}|' "${{0%/*}}/bad.samples" """
    '>"$samples"'
)
GONE = json.dumps(
    {
        "schema": "gpugauge.samples/1",
        "family": "bad",
        "status": "unavailable",
        "reason": "counting the GPUs failed: cudaErrorNoDevice (100)",
        "suite_version": "0.1.0",
        "source_hash": "a" * 64,
        "seed": 1,
        "context": {},
        "benchmarks": [],
    }
)


def unusable(name, scenario, says, **more):
    return Fault(name, CHECK, 3, f"(?:{says}).*{NONE}", gpu=True, scenario=scenario, **more)


def refused(error, number, says):
    return unusable(f"cuInit answers {error}", f"init_result={number}", f"cuInit answers (with code )?{number}, {says}")


def library(name, before, says, **more):
    """One of the driver's two libraries is another file."""
    return Fault(
        name,
        "export LD_LIBRARY_PATH=$PWD/driver; " + CHECK,
        3,
        says,
        gpu=True,
        before='cp -r "$BUILD/tests/fakes/driver" driver; ' + before,
        **more,
    )


def benchmark(name, reason, **more):
    return Fault(
        name,
        RUN,
        1,
        "bad/op failed: " + re.escape(reason),
        gpu=True,
        output="whole",
        family=EDIT.format(
            '"status": "ok", "reason": "", "parameters"', f'"status": "failed", "reason": "{reason}", "parameters"'
        ),
        **more,
    )


ROWS = [
    refused("no device", 100, "cudaErrorNoDevice"),
    refused("system not ready", 802, "cudaErrorSystemNotReady.*fabric manager"),
    refused("driver mismatch", 803, "cudaErrorSystemDriverMismatch.*of different versions"),
    refused("compatibility not supported", 804, "cudaErrorCompatNotSupportedOnDevice.*forward-compatibility"),
    refused("unknown error", 999, "cudaErrorUnknown.*nvidia_uvm"),
    refused("device unavailable", 46, "cudaErrorDevicesUnavailable.*compute mode exclusive"),
    refused("an error that nobody knows", 12345, "which GPUGauge has no explanation for"),
    unusable(
        "cuInit crashes",
        "crash=cuInit",
        r"Starting CUDA crashes: .* died from signal 6 \(Aborted\); its last words were",
    ),
    unusable("cuInit ends the process", "exit=cuInit", "the process that asks the driver ended with exit code 7"),
    unusable("cuInit hangs", "hang=cuInit", "Starting CUDA hangs: .* did not answer within 20 s", seconds=60),
    unusable("NVML hangs at its start", "hang=nvmlInit", "did not answer within 20 s", seconds=60, long=True),
    unusable("the count of devices is an error", "count_result=3", "cuDeviceGetCount answers with code 3"),
    unusable("no device is counted", "devices=0", "no GPU|There is no NVIDIA GPU here"),
    unusable(
        "the driver is too old",
        "driver_version=11040",
        "The driver is too old for this build",
        needs="! gpugauge --version | grep -q 'without CUDA' || { echo 'a build without CUDA needs no driver'; false; }",
    ),
    Fault("the driver prints to standard output", RUN, 0, "good/op", gpu=True, scenario="noise=cuInit", output="whole"),
    Fault(
        "NVML and the driver do not match",
        CHECK,
        3,
        "NVML cannot start: error 18",
        gpu=True,
        scenario="nvml_result=18",
        family=SLOWLY,
        changes="state/runs",
    ),
    Fault(
        "the GPU's name is hostile",
        RUN,
        0,
        "good/op",
        gpu=True,
        output="whole",
        scenario="name=$(touch owned);`touch owned`\\033[31m\"'|&",
        holds="[ ! -e owned ]",
        lacks="\\x1b",
    ),
    Fault(
        "NVML crashes in mid-run",
        RUN,
        0,
        "GPU telemetry ended early: its process was ended by signal 6",
        gpu=True,
        output="whole",
        scenario="crash=nvmlDeviceGetPowerUsage",
        family="sleep 1; leave",
    ),
    Fault(
        "NVML hangs in mid-run",
        RUN,
        0,
        "GPU telemetry fell silent .* NVML stopped answering",
        gpu=True,
        output="whole",
        seconds=60,
        family='sleep 2; echo "hang=nvmlDeviceGetPowerUsage" >>"$GPUGAUGE_FAKE_SCENARIO"; sleep 13; leave',
        long=True,
    ),
    Fault(
        "NVML loses the GPU in mid-run",
        RUN,
        1,
        "was lost",
        gpu=True,
        output="whole",
        family=(
            'sleep 1; echo lost=1 >>"$GPUGAUGE_FAKE_SCENARIO"; sleep 1.2; echo "CUDA error 719'
            ' (cudaErrorLaunchFailure)"; exit 1'
        ),
    ),
    Fault(
        "NVML loses a GPU while another is measured",
        CHECK,
        1,
        r"failed: GPU-\S+00 was lost while GPU 1 .* was measured",
        gpu=True,
        scenario="devices=2\n",
        family=(
            'case $CUDA_VISIBLE_DEVICES in *01) sleep 1; echo gpu.0.lost=1 >>"$GPUGAUGE_FAKE_SCENARIO"; sleep 1.5;; '
            "esac; leave"
        ),
        changes="state/runs",
    ),
    Fault(
        "the GPU is gone before the second process",
        CHECK.replace("smoke", "quick"),
        1,
        "1 of 3 processes of the family measured, and 2 could not even begin: .*cudaErrorNoDevice",
        gpu=True,
        family=f"""[ -e "${{0%/*}}/here" ] || {{ here; leave; exit 0; }}; echo '{GONE}' >"$samples"; exit 3""",
        changes="state/runs",
    ),
    Fault(
        "a family is shown another GPU",
        RUN,
        1,
        r"measured GPU-0 where GPU-aa\S+00 was to be measured: something between this command and the driver",
        gpu=True,
        output="whole",
        family=SHOWN.format("GPU-0", 1),
    ),
    Fault(
        "a family is shown more GPUs than it was given",
        RUN,
        1,
        "saw 2 GPUs where 1 was to be measured",
        gpu=True,
        output="whole",
        family=SHOWN.format("GPU-0", 2),
    ),
    Fault(
        "a family's samples have no place",
        CHECK,
        3,
        "cannot judge: 1 of 2 processes could not keep what they measured; .*No space left on device",
        gpu=True,
        family='echo "gpugauge-bench-bad: x could not be written: No space left on device" >&2; exit 4',
        changes="state/runs",
    ),
    Fault(
        "a family's samples of one GPU have no place",
        CHECK,
        3,
        "could not keep what they measured; .*GPU 1 .*bad/op .*cannot judge: 2 of 2 devices",
        gpu=True,
        scenario="devices=2\n",
        family='case $CUDA_VISIBLE_DEVICES in *00) echo "x could not be written: No space left on device" >&2; exit 4;; '
        "esac; leave",
        changes="state/runs",
    ),
    Fault(
        "a run of a family whose samples have no place",
        RUN,
        3,
        "family bad .0 of 1 processes whole.: gpugauge-bench-bad could not keep what it measured; .*No space left on device",
        gpu=True,
        output="partial",
        family='echo "gpugauge-bench-bad: x could not be written: No space left on device" >&2; exit 4',
    ),
    Fault(
        "the GPU is lost before the second round",
        "gpugauge run --profile smoke --quiet --output out.json; gpugauge check --profile smoke --quiet",
        3,
        NONE,
        gpu=True,
        output="whole",
        family='leave; echo init_result=999 >>"$GPUGAUGE_FAKE_SCENARIO"',
        changes="state/runs",
    ),
    library(
        "libcuda missing",
        "rm driver/libcuda*",
        "libcuda.so.1.*" + NONE,
        needs="! ldconfig -p | grep -q libcuda.so.1 || { echo 'this machine has a libcuda'; false; }",
    ),
    library(
        "libcuda cut short",
        "head -c 500 driver/libcuda.so.1 >x; mv x driver/libcuda.so.1",
        "libcuda.so.1 cannot be used .*(cannot read file data|file too short).*" + NONE,
    ),
    library("libcuda is text", "echo no library >driver/libcuda.so.1", "libcuda.so.1.*" + NONE),
    library(
        "libcuda of another architecture",
        "printf '\\267' | dd of=driver/libcuda.so.1 bs=1 seek=18 conv=notrunc status=none",
        "libcuda.so.1.*" + NONE,
    ),
    library(
        "libcuda without its functions",
        'cp "$BUILD/tests/faults/libfault_library.so.1" driver/libcuda.so.1',
        "has no cuInit.*" + NONE,
    ),
    library(
        "NVML missing",
        "rm driver/libnvidia-ml*",
        "",
        needs="! ldconfig -p | grep -q libnvidia-ml.so.1 || { echo 'this machine has a libnvidia-ml'; false; }",
        changes="state/runs",
    ),
    library(
        "NVML cut short",
        "head -c 500 driver/libnvidia-ml.so.1 >x; mv x driver/libnvidia-ml.so.1",
        "No GPU telemetry: libnvidia-ml.so.1 cannot be opened .*(cannot read file data|file too short)",
        family=SLOWLY,
        changes="state/runs",
    ),
    library(
        "NVML without its functions",
        'cp "$BUILD/tests/faults/libfault_library.so.1" driver/libnvidia-ml.so.1',
        "lacks functions that every NVML has",
        family=SLOWLY,
        changes="state/runs",
    ),
    # What a family reports of an error of CUDA, in the words of bench/support/cuda/error.cpp, and what becomes of it. No
    # CUDA call fails here: that needs a GPU, or a fake of the whole runtime.
    benchmark(
        "a family reports an illegal access",
        "waiting for the GPU failed: cudaErrorIllegalAddress (700): A kernel read or wrote memory that is not its own.",
    ),
    benchmark(
        "a family reports an error that takes the context",
        "waiting for the GPU failed: cudaErrorLaunchFailure (719): A kernel ended in an exception.",
    ),
    Fault(
        "a family reports that memory ran out in mid-run",
        RUN,
        0,
        r"bad/op .*allocating GPU memory: cudaErrorMemoryAllocation \(2\)",
        gpu=True,
        output="whole",
        family=EDIT.format(
            '"status": "ok", "reason": "", "parameters"',
            '"status": "skipped", "reason": "allocating GPU memory: cudaErrorMemoryAllocation (2): too little free memory",'
            ' "parameters"',
        ).replace("exit 1", "exit 0"),
    ),
    Fault(
        "a family reports too little memory for a benchmark",
        RUN,
        0,
        "needs 12 GB of memory of the GPU and 1 GB are free",
        gpu=True,
        output="whole",
        family=EDIT.format(
            '"status": "ok", "reason": "", "parameters"',
            '"status": "skipped", "reason": "needs 12 GB of memory of the GPU and 1 GB are free", "parameters"',
        ).replace("exit 1", "exit 0"),
    ),
    Fault(
        "a GPU fewer than the policy expects",
        CHECK + " --policy policy.json",
        1,
        "the policy expects 2 GPUs and 1 is usable",
        gpu=True,
        before="""echo '{"schema": "gpugauge.policy/1", "expect": {"gpus": 2}}' >policy.json""",
        changes="state/runs",
    ),
    Fault(
        "--device names a GPU that is not there",
        CHECK + " --device 3",
        2,
        "--device 3: there is no such GPU; there are 0",
        gpu=True,
    ),
]
