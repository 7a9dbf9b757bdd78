"""What goes wrong in copies, those between GPUs among them, with a CUDA runtime made for tests as in runtime.py. No figure of
these runs stands for a GPU's."""

from table.runtime import broken

# Started by itself, with two GPUs: what lies between them is a device of its own to the command.
PEER = (
    '"$BUILD/tests/fakes/runtime/copies/gpugauge-bench-copy" --gpugauge_window=0.02 --gpugauge_samples=peer.json'
    " --benchmark_filter=^copy/peer$"
)


def between(name, cuda, code, says, pairs, **more):
    """`pairs`: how many are in the sample file with a bandwidth."""
    holds = f"""python - <<'END'
import itertools, json
PAIRS = itertools.permutations(range(3), 2)
(one,) = json.load(open('peer.json'))['benchmarks']
assert len(one['metrics']) == {pairs}, one
{more.pop("and_holds", "")}
END"""
    scenario = "runtime_devices=3" + more.pop("held", "")
    run = PEER.replace("0.02", more.pop("window", "0.02")).replace("copy/peer", more.pop("id", "copy/peer"))
    return broken(name, cuda, says, run=run, code=code, output="none", scenario=scenario, **{"holds": holds, **more})


def between_held(name, cuda, says, pairs, uuids, **more):
    """Only in use is a GPU of `uuids`: these are noted, and no other is."""
    return between(
        name, cuda, 0, "ERROR OCCURRED: '" + says, pairs, lacks="answers nothing", **more,
        holds=f"""python - <<'END'
import json
(one,) = json.load(open('peer.json'))['benchmarks']
assert one['status'] == 'unavailable' and one['notes']['occupied'] == 'true' and len(one['metrics']) == {pairs}, one
assert [uuid[-2:] for uuid in one['notes'].get('in_use', '').split(', ') if uuid] == {uuids}, one
END""",
    )


def left_over(id, cuda, what="", **more):
    """What was timed copies nothing: its target is right all the same, because the warm-up left it so."""
    run = PEER.replace("copy/peer", id).replace("peer.json", "copied.json")
    if not id.startswith("copy/"):
        run = run.replace("copies/gpugauge-bench-copy", f"gpugauge-bench-{id.split('/')[0]}")
    says = "ERROR OCCURRED: 'wrong result: the same after one more (copy|launch) into poisoned memory" + what
    return broken(
        f"{id} that copies nothing once it is warm", cuda, says, run=run,
        **{"output": "none", "lacks": "elements that differ|ignored", **more},
    )


ROWS = [
    left_over("memory/copy/cold", "copy_kernel:2=idle"),
    left_over("copy/h2d/pinned_sm/4KiB", "copy_kernel:2=idle"),
    left_over("copy/d2h/pinned_sm/4KiB", "copy_kernel:2=idle"),
    left_over("copy/h2d/pinned/4KiB", "cudaMemcpyAsync:20=idle"),
    left_over("copy/d2h/pageable/4KiB", "cudaMemcpyAsync:20=idle"),
    left_over("copy/bidirectional/pinned/64MiB", "cudaMemcpyAsync:20=idle", ", on the device", memory_mib=600),
    left_over("copy/bidirectional/pinned_sm/4KiB", "copy_pair_kernel:2=idle", ", on the device"),
    left_over("copy/bidirectional/pageable/4KiB", "cudaMemcpyAsync:20=idle", ", on the device"),
    broken(
        "a copy that fails while two threads copy, one in each direction",
        "cudaMemcpyAsync:30=719", r"ERROR OCCURRED: 'enqueueing a copy failed: cudaErrorLaunchFailure \(719\)",
        run=PEER.replace("copy/peer", "copy/bidirectional/pageable/4KiB"), output="none", lacks="terminate",
    ),
    left_over("copy/d2d/256MiB", "cudaMemcpyAsync:20=idle", memory_mib=1200),
    between(
        "copies between GPUs that copy nothing once they were tried",
        "cudaMemcpyPeerAsync:5=idle", 1, "poisoned memory", 6,
    ),
    between(
        "copies between GPUs without a fault, so that the others are shown to be one",
        "", 0, "copy/peer.*bandwidth_2_to_1=", 6, lacks="ERROR",
    ),
    between(
        "small copies between GPUs without a fault: each takes a time",
        "", 0, "copy/peer_latency.*latency_2_to_1=", 6, lacks="ERROR", id="copy/peer_latency",
        and_holds="assert all(one['notes'][f'samples_{a}_to_{b}'].endswith(' of 128 x 4KiB') for a, b in PAIRS), one['notes']\n"
        "assert all(metric['class'] == 'coll_small' for metric in one['metrics']), one",
    ),
    between(
        "copies between GPUs in both directions at once without a fault: each pair is measured once",
        "", 0, "copy/peer_bidirectional.*bandwidth_1_and_2=", 3, lacks="ERROR", id="copy/peer_bidirectional",
        and_holds="assert all(one['notes'][f'peer_access_{a}_to_{b}'] == 'true' for a, b in PAIRS), one['notes']",
    ),
    between(
        "copies between GPUs in both directions at once that copy nothing once they were tried",
        "cudaMemcpyPeerAsync:9=idle", 1, "poisoned memory", 3, id="copy/peer_bidirectional",
    ),
    between(
        "copies between GPUs by a kernel without a fault",
        "", 0, "copy/peer_sm.*bandwidth_2_to_1=", 6, lacks="ERROR|cudaErrorInvalidDeviceFunction", id="copy/peer_sm",
    ),
    between(
        "copies between GPUs by a kernel that copies nothing once it was tried",
        "copy_kernel:5=idle", 1, "poisoned memory", 6, id="copy/peer_sm",
    ),
    between(
        "copies by a kernel between GPUs of which one has no access to another: that pair is left out, and the others are measured",
        "cudaDeviceCanAccessPeer:2-2=zero", 0, "copy/peer_sm.*bandwidth_2_to_1=", 5, lacks="ERROR", id="copy/peer_sm",
        and_holds="assert [name for name in one['notes'] if one['notes'][name] == 'false'] == ['peer_access_0_to_2'], one['notes']",
    ),
    between(
        "copies by a kernel between GPUs without access to each other: the benchmark does not apply",
        "cudaDeviceCanAccessPeer=zero", 0, "no GPU has peer access to another", 0, id="copy/peer_sm",
    ),
    between(
        "copies between GPUs that are far too long for their share of the window: five samples are taken all the same",
        "", 0, "copy/peer.*bandwidth_2_to_1=", 6, lacks="ERROR", window="1e-6",
        and_holds="assert all(one['notes'][f'samples_{a}_to_{b}'].startswith('5 of 1 x 16MiB') for a, b in PAIRS), one['notes']",
    ),
    between(
        "copies between GPUs for which the host must work: what holds them back gives up once, and then lets them be",
        "blocker_kernel:1-2=idle", 0, "copy/peer.*bandwidth_2_to_1=", 6, lacks="ERROR", window="1e-6",
        and_holds="for a, b in PAIRS: assert one['notes'][f'blocker_{a}_to_{b}'].startswith('timed out in sample 1 of 5:'), one['notes']",
    ),
    between(
        "GPUs that answer nothing after a copy between them: the pair is named, and so is what was not measured for it",
        "cudaMemcpyPeerAsync:1-1=719", 1,
        r"ERROR OCCURRED: 'copying from GPU 0 \(GPU-aa.*00\) to GPU 1 \(GPU-aa.*01\): enqueueing a copy between GPUs failed: .*"
        "no other pair was measured of what answers nothing any more: GPU 0, GPU 1",
        0,
    ),
    between(
        "a GPU whose way to another cannot be opened: that pair is named, and the others are measured",
        "cudaDeviceEnablePeerAccess:2-2=711", 1,
        r"ERROR OCCURRED: 'copying from GPU 0 \(GPU-aa.*00\) to GPU 2 \(GPU-aa.*02\): opening peer access failed",
        5,
    ),
    between_held(
        "something else holds the memory of one of three GPUs: it is named as in use, and what lies between the others is measured",
        "cudaMalloc@1=2",
        r"no other pair was measured of GPU 1 \(GPU-aa\S*01\): allocating GPU memory: cudaErrorMemoryAllocation \(2\)"
        r".*: something else holds the rest; `nvidia-smi` shows who uses this GPU'",
        2, ["01"], held="\ngpu.1.memory_held_mib=4000",
    ),
    between_held(
        "nobody else is let in to one of three GPUs: it is named as in use, and answers",
        "cudaSetDevice@2=46",
        r"no other pair was measured of GPU 2 \(GPU-aa\S*02\): choosing a GPU failed: cudaErrorDevicesUnavailable \(46\)",
        2, ["02"],
    ),
    between_held(
        "a GPU whose memory cannot even be asked for, while another has less of it free: it is the one in use",
        "cudaMalloc@1=2;cudaMemGetInfo@1=2",
        r"no other pair was measured of GPU 1 ",
        2, ["01"], held="\nmemory_held_mib=3600",
    ),
    between_held(
        "a GPU that was in use for a moment: that pair is named, and all others are measured",
        "cudaDeviceEnablePeerAccess:2-2=46",
        r"copying from GPU 0 \(GPU-aa\S*00\) to GPU 2 \(GPU-aa\S*02\): opening peer access failed: cudaErrorDevicesUnavailable",
        5, [],
    ),
    between_held(
        "memory that something else held for a moment: no GPU is taken for one in use",
        "cudaMalloc@1:1-1=2",
        r"copying from GPU 0 \(GPU-aa\S*00\) to GPU 1 \(GPU-aa\S*01\): allocating GPU memory: .*: something else holds the rest",
        5, [],
    ),
    between_held(
        "all GPUs but one are in use: nothing is measured between GPUs, and nothing has failed",
        "cudaSetDevice@1=46;cudaSetDevice@2=46",
        r"no other pair was measured of GPU 1 .*; no other pair was measured of GPU 2 ",
        0, [],
    ),
    between(
        "a GPU that is in use beside a pair that fails: the failure counts, and the GPU in use is no failure",
        "cudaSetDevice@2=46;cudaMemcpyPeerAsync:1-1=1", 1,
        r"ERROR OCCURRED: 'copying from GPU 0 \(GPU-aa\S*00\) to GPU 1 \(GPU-aa\S*01\): enqueueing a copy between GPUs failed: [^']*\(1\)[^']*'",
        1, lacks="answers nothing",
    ),
    between(
        "GPUs that are too small for a copy between them",
        "cudaMalloc=2", 0,
        r"ERROR OCCURRED: 'copying from GPU 0 \(GPU-aa\S*00\) to GPU 1 \(GPU-aa\S*01\): allocating GPU memory",
        0, held="\nmemory_mib=300",
    ),
]
