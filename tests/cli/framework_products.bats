# The products of frameworks beside our own cuBLAS. The framework is a package made for the test that says it ran on a GPU, the
# driver a fake, the family cublas a script: what is said rests on neither this machine's speed nor its hardware.
load common
load fake_gpu

export WIDE=1

setup_file() {
  "${GPUGAUGE_PYTHON:-python3}" -m venv --without-pip "$BATS_FILE_TMPDIR/venv"
}

# A PyTorch whose profiler lists kernels and whose products have the error $1; some TFLOP/s at most, by its pauses.
torch_on_gpu() {
  mkdir -p packages/torch
  export PYTHONPATH="$PWD/packages" FAKE_ERROR="$1"
  cat >packages/torch/__init__.py <<'PY'
import os, time, types

class Tensor:
    """Whatever is asked of it, it is itself; as a number it is the error of a product."""
    device = types.SimpleNamespace(type=os.environ.get("FAKE_PLACE", "cuda"))
    def __getattr__(self, name): return lambda *arguments, **named: self
    def __getitem__(self, rows): return self
    def __float__(self): return float(os.environ["FAKE_ERROR"])
    def __mul__(self, other): return self
    __add__ = __sub__ = __truediv__ = __mul__
    def __matmul__(self, other):
        time.sleep(0.02)
        return self

class Profile:
    """Lists one kernel."""
    def __init__(self, **named): pass
    def __enter__(self): return self
    def __exit__(self, *error): return False
    def events(self): return [types.SimpleNamespace(name="sm90_gemm", device_type="DeviceType.CUDA")]

def convolution(*arguments, **named):
    time.sleep(0.02)
    return Tensor()

__version__ = "2.8.0"
version = types.SimpleNamespace(cuda="12.8" if Tensor.device.type == "cuda" else None)
float32, bfloat16 = "float32", "bfloat16"
ones = rand = full = lambda *arguments, **named: Tensor()
Generator = Tensor
cuda = types.SimpleNamespace(is_available=lambda: Tensor.device.type == "cuda", get_device_name=lambda index: "NVIDIA H100 80GB HBM3",
                             get_arch_list=lambda: ["sm_90"], synchronize=lambda: None, empty_cache=lambda: None,
                             mem_get_info=lambda: (0, 0))
backends = types.SimpleNamespace(
    cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=True)),
    cudnn=types.SimpleNamespace(allow_tf32=True, benchmark=False, version=lambda: 91002))
profiler = types.SimpleNamespace(profile=Profile, ProfilerActivity=types.SimpleNamespace(CPU=0, CUDA=1))
nn = types.SimpleNamespace(functional=types.SimpleNamespace(conv2d=convolution))
PY
}

# The driver is a fake; our own probes stand in a folder of this test.
gpu_and_probes() {
  [ -e "$GPUGAUGE_BUILD/tests/fakes/driver/libcuda.so.1" ] || skip "the fake driver is not built"
  export GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$PWD/driver" GPUGAUGE_LIBEXEC="$PWD/libexec"
  driver 570.86.15
  mkdir -p libexec
  ln -s "$GPUGAUGE_BUILD/libexec/gpugauge/frameworks" libexec/frameworks
}

# A family cublas that has the products of the probes and reaches $1 flop/s in those that it is asked for; $2: what it does first.
cublas_of() {
  export FAKE_FLOPS="$1"
  {
    printf '#!%s\n' "$(command -v "$PYTHON")"
    cat <<'PY'
import json, os, sys
flags = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:])
ids = [f"cublas/{one}/lt/4096x4096x4096" for one in ("bf16", "fp32", "tf32")]
if "gpugauge_describe" in flags:
    print(json.dumps({"schema": "gpugauge.definitions/1", "family": "cublas", "definitions": [
        {"id": "cublas", "class": "gemm16", "isolates": "x", "bad_value": "y", "window_share": 1, "ids": ids,
         "depths": dict.fromkeys(ids, "exhaustive"), "requires": {"gpu": True}}]}))
    sys.exit(0)
PY
    printf '%s\n' "${2:-}"
    cat <<'PY'
status, reason = globals().get("status", "ok"), globals().get("reason", "")
asked = open(flags["gpugauge_only"]).read().split()
open(os.path.join(os.path.dirname(sys.argv[0]), "asked"), "a").write(" ".join(asked + [flags["gpugauge_depth"]]) + "\n")
def one(name):
    limit = {"value": float(os.environ["FAKE_LIMIT"]), "source": "made up", "saturating": True} if "FAKE_LIMIT" in os.environ else None
    speed = {"name": "throughput", "unit": "flop/second", "better": "higher", "class": "gemm16", "statistic": "median",
             "value": float(os.environ["FAKE_FLOPS"]), "resolution": 0, "judged": True, "note": ""}
    return {"id": name, "status": status, "reason": reason, "parameters": {}, "notes": {},
            "work": {"bytes": 0, "flops": 1, "items": 0},
            "batches": {"operations_per_batch": 1, "seconds_per_operation": [1, 1, 1, 1, 1], "cpu_seconds_per_operation": [],
                        "sm_clock_hz": [], "window_seconds": 5, "cpu_seconds": 0},
            "metrics": [dict(speed, **({"limit": limit} if limit else {}))] if status == "ok" else [],
            "verifications": [{"method": "made for the test", "passed": True}] if status == "ok" else []}
json.dump({"schema": "gpugauge.samples/1", "family": "cublas", "status": "ok", "reason": "", "suite_version": "0.1.0",
           "source_hash": "aa", "seed": 1, "context": {"gpu.compute_capability": "9.0"},
           "benchmarks": [one(name) for name in asked]}, open(flags["gpugauge_samples"], "w"))
PY
  } >libexec/gpugauge-bench-cublas
  chmod +x libexec/gpugauge-bench-cublas
}

frameworks() { gpugauge frameworks --python "$BATS_FILE_TMPDIR/venv" --window 0.1 --quiet torch "$@"; }

@test "a product that ran in TF32 is held against tf32, and each figure says of what: text, JSON, run file and observation" {
  torch_on_gpu 1.6e-5
  gpu_and_probes
  cublas_of 1e9
  run -0 --separate-stderr frameworks --json --output run.json --observation seen.json
  printf '%s\n' "$output" >report.json
  [ "$(cat libexec/asked)" = "cublas/bf16/lt/4096x4096x4096 cublas/tf32/lt/4096x4096x4096 exhaustive" ]
  for kind in frameworks:report run:run observation-1:seen; do
    "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" "${kind%:*}" "${kind#*:}.json"
  done
  "$PYTHON" - <<'PY'
import json
report, run, seen = (json.load(open(name + ".json")) for name in ("report", "run", "seen"))
operations = {one["id"]: one for one in report["frameworks"][0]["operations"]}
product = operations["torch/matmul/fp32/4096x4096x4096"]
assert product["cublas"]["id"] == "cublas/tf32/lt/4096x4096x4096" and "reason" not in product["cublas"], product
assert abs(product["cublas"]["share"] - product["flops"] / 1e9) < 1e-6 * product["cublas"]["share"], product
assert all(("cublas" in one) == ("/matmul/" in name) for name, one in operations.items()), operations
assert report["remarks"] == [] and report["frameworks"][0]["remarks"] == [], report
process, = run["processes"]
assert process["family"] == "torch", process["family"]
notes = {one["id"]: one["notes"] for one in process["samples"]["benchmarks"]}["torch/matmul/fp32/4096x4096x4096"]
assert notes["numerics"] == "tf32" and notes["cublas"] == "cublas/tf32/lt/4096x4096x4096", notes
figures = [one for one in seen["metrics"] if one["scope"]["op"] == "torch/matmul/bf16/4096x4096x4096"]
assert [one["judged"] for one in figures] == ["unchanged"], seen["metrics"]
assert [one["outcome"] for one in seen["probes"] if one["name"] == "native_benchmark"] == ["normal"], seen["probes"]
PY
  run -0 frameworks
  [[ $output == *"of cuBLAS here"*" (tf32)"* && $output != *"ar below"* ]]
}

@test "a product with the error of fp32 is held against fp32 in pedantic mode" {
  torch_on_gpu 1e-8
  gpu_and_probes
  cublas_of 1e9
  run -0 frameworks
  [[ $output == *" (fp32)"* && $output != *tf32* ]]
  [ "$(cat libexec/asked)" = "cublas/bf16/lt/4096x4096x4096 cublas/fp32/lt/4096x4096x4096 exhaustive" ]
}

@test "a product of fp32 matrices with the error of bf16 is held against bf16, and that is said" {
  torch_on_gpu 1.4e-4
  gpu_and_probes
  cublas_of 1e9
  run -0 frameworks
  [[ $output == *" (bf16)"* && $output != *tf32* ]]
  [[ $output == *"torch/matmul/fp32/4096x4096x4096 takes fp32 matrices and has the error of bf16:"*"held against cublas/bf16/lt/4096x4096x4096."* ]]
  [ "$(cat libexec/asked)" = "cublas/bf16/lt/4096x4096x4096 exhaustive" ]
}

@test "a framework far below our own cuBLAS is said with what it means, and is no failure" {
  torch_on_gpu 1.6e-5
  gpu_and_probes
  cublas_of 1e18
  run -0 frameworks --observation seen.json
  [[ $output == *"Far below our own cuBLAS here: torch/matmul/"*" reaches 0.00 of cublas/tf32/lt/4096x4096x4096"* ]]
  [[ $output == *"older than the GPU"*"gpugauge frameworks torch --output FILE"* ]]
  [[ "${lines[-1]}" == *"pass: torch ran on the GPU; far below our own cuBLAS, which is not counted: torch" ]]
  grep -q '"judged": "slower"' seen.json
}

@test "where our own cuBLAS is slow itself no framework is blamed, and check is named" {
  torch_on_gpu 1.6e-5
  gpu_and_probes
  cublas_of 1e18
  FAKE_LIMIT=1e19 run -0 frameworks --observation seen.json
  [[ $output == *"Our own cuBLAS is slow here itself (cublas/bf16/lt/4096x4096x4096: "*"of the limit"*"run "?"gpugauge check"* ]]
  [[ $output != *"ar below"* ]]
  grep -q '"outcome": "slow"' seen.json
}

@test "a family that is missing, breaks, fails, hangs or cannot measure is said by name, and the rest stays" {
  torch_on_gpu 1.6e-5
  gpu_and_probes
  said() {
    run -0 frameworks "${@:2}"
    [[ $output == *"Not compared with our own cuBLAS: torch/matmul/"*", torch/matmul/"*": "*$1* ]] || { echo "$output"; return 1; }
    [ "$(grep -c 'Not compared' <<<"$output")" -eq 1 ]
    [[ "${lines[-1]}" == *"pass: torch ran on the GPU" ]]
  }
  said "the family cublas is not installed in $PWD/libexec"
  printf '#!/bin/sh\necho "error while loading shared libraries: libcublas.so.13" >&2\nexit 127\n' >libexec/gpugauge-bench-cublas
  chmod +x libexec/gpugauge-bench-cublas
  said "libcublas.so.13"
  cublas_of 1e9 'os.abort()'
  said "signal 6 (SIGABRT)"
  cublas_of 1e9 'import time; time.sleep(600)'
  said "time limit" --limit 8
  cublas_of 1e9 'status, reason = "skipped", "1 GiB of GPU memory are free, 2 GiB are needed"'
  said "1 GiB of GPU memory are free, 2 GiB are needed"
  cublas_of 1e9 'status, reason = "failed", "the result is wrong"'
  said "the result is wrong"
  sed -i 's/4096x4096x4096/8192x8192x8192/' libexec/gpugauge-bench-cublas
  said "the family cublas here has no such benchmark"
}

@test "a framework on the processor is held against nothing, and the family is not started" {
  torch_on_gpu 1e-8
  export FAKE_PLACE=cpu
  gpu_and_probes
  cublas_of 1e9
  run -1 frameworks
  [ ! -e libexec/asked ]
  [[ $output != *cuBLAS* && $output == *"ran on the processor beside a usable GPU"* ]]
}

@test "a signal that ends our own cuBLAS leaves what the frameworks did" {
  torch_on_gpu 1.6e-5
  gpu_and_probes
  cublas_of 1e9 'import time; open(os.path.join(os.path.dirname(sys.argv[0]), "began"), "w").close(); time.sleep(600)'
  gpugauge frameworks --python "$BATS_FILE_TMPDIR/venv" --window 0.1 --quiet torch >out.txt 3>&- &
  wait_until [ -e libexec/began ]
  kill -TERM $!
  wait $!
  grep -q 'Not compared with our own cuBLAS: .*SIGTERM stopped the run' out.txt
  grep -q 'pass: torch ran on the GPU' out.txt
}

@test "runs are compared whether or not cuBLAS could be measured beside each of them" {
  torch_on_gpu 1.6e-5
  gpu_and_probes
  frameworks --output without.json
  cublas_of 1e9
  frameworks --output with.json
  for pair in "with without" "without with"; do
    run gpugauge compare --before "${pair% *}.json" --after "${pair#* }.json" --json
    [[ $output == *'"torch/matmul/bf16/4096x4096x4096:throughput"'* && $output != *'"missing"'* ]]
  done
}
