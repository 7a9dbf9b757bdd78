# gpugauge codegen: the kernels are as declared, and what breaks a declaration is named.
# shellcheck disable=SC2034  # common.bash reads it
WIDE=1
load ../cli/common

planted() { gpugauge codegen "$GPUGAUGE_PLANTED" --expect "$GPUGAUGE_SOURCE/tests/codegen/planted.codegen.json" "$@"; }

need_cuobjdump() {
  if [[ $(gpugauge codegen "$GPUGAUGE_PLANTED" 2>&1 || true) == *"no cuobjdump was found"* ]]; then
    skip "no cuobjdump here; scripts/setup --for test installs it"
  fi
}

@test "the machine code of every kernel is as declared" {
  need_cuobjdump
  run -0 gpugauge codegen "$GPUGAUGE_KERNELS" --strict
  [[ $output != *"broken: "* ]]
  [[ ${lines[-1]} == "pass: "* ]]
  [[ ${lines[-1]} != *"expectations of kernels that are not"* ]]
  echo "${lines[-1]}" >&3
}

@test "kernels that spill, lost their tensor path or wgmma, their width or their loop, or whose wgmma are serialised, fail by name" {
  need_cuobjdump
  run -1 planted
  [[ $output =~ "broken: planted::spilling_kernel on sm_90a: "[0-9]+" bytes of stack" ]]
  [[ $output =~ "broken: planted::spilling_kernel on sm_90a: "[0-9]+" accesses to local memory" ]]
  [[ $output == *"broken: planted::without_tensor_kernel on sm_90a: the loop holds 0 HMMA, and at least 8 are declared"* ]]
  [[ $output == *"broken: planted::narrow_kernel on sm_90a: the widest load from global memory moves 4 bytes"* ]]
  [[ $output == *"broken: planted::vanished_kernel on sm_90a: there is no loop"* ]]
  [[ $output =~ "broken: planted::serial_kernel on sm_90a: the loop holds "[0-9]+" WARPGROUP.DEPBAR, and at most 1 are declared" ]]
  [[ ! $output =~ "broken: planted::serial_kernel on sm_90a: the loop holds "[0-9]+" HGMMA, and at least" ]]
  [[ $output == *"broken: planted::without_wgmma_kernel on sm_90a: 0 HGMMA, and at least 4 are declared"* ]]
  [[ $output == *"broken: planted::without_wgmma_kernel on sm_90a: there is no loop"* ]]
  [[ $output != *"broken: planted::healthy_kernel"* && $output != *"broken: planted::together_kernel"* ]]
  [[ ${lines[-1]} == "failed: 2 kernels as declared, 6 broken, 1 without expectation (fails with --strict)" ]]
}

@test "the products by wgmma fail by name where their guard is false for 9.0" {
  need_cuobjdump
  run -1 gpugauge codegen "$GPUGAUGE_WITHOUT_WGMMA"
  [[ $output == *"broken: gemm::wgmma_tile_kernel<64, 64> on sm_90a: there is no loop"* ]]
  local step
  for step in OneConsumer OneConsumerWide TwoConsumers PersistentRows Persistent Cluster TmaStore Overlap Best; do
    [[ $output == *"broken: gemm::wgmma_ring_kernel<Bf16, gemm::configs::$step> on sm_90a: there is no loop"* ]]
  done
  [[ $output == *"broken: gemm::wgmma_ring_kernel<E4m3, gemm::configs::Best> on sm_90a: there is no loop"* ]]
  [[ ${lines[-1]} == "failed: 0 kernels as declared, 12 broken, "* ]]
}

@test "a kernel without expectation and an expectation without kernel are said, and count with --strict" {
  need_cuobjdump
  cat >only_healthy.json <<'JSON'
{"schema": "gpugauge-codegen-1", "kernels": [{"kernel": "planted::healthy_kernel"}]}
JSON
  run -0 gpugauge codegen "$GPUGAUGE_PLANTED" --expect only_healthy.json
  [[ ${lines[-1]} == "pass: 1 kernel as declared, 8 without expectation (fails with --strict)" ]]
  run -1 gpugauge codegen "$GPUGAUGE_PLANTED" --expect only_healthy.json --strict
  sed 's/healthy/sickly/' only_healthy.json >none.json
  run -1 gpugauge codegen "$GPUGAUGE_PLANTED" --expect none.json
  [[ $output == *"without kernel: none.json: kernels[0]: 'planted::sickly_kernel' names no kernel of these files"* ]]
}

@test "--json holds every kernel with its opcodes" {
  need_cuobjdump
  planted --json >report.json || [ $? -eq 1 ]
  "$PYTHON" -c '
import json
report = json.load(open("report.json"))
kernels = {row["kernel"]: row for row in report["kernels"]}
assert not report["passed"] and report["broken"] == 6, report["broken"]
assert kernels["planted::healthy_kernel"]["opcodes"]["HMMA.16816.F32.BF16"] >= 8
assert kernels["planted::healthy_kernel"]["architecture"] == "sm_90a"'
}

@test "without cuobjdump it says how to get one and ends with 3" {
  run -3 gpugauge codegen "$GPUGAUGE_PLANTED" --cuobjdump /bin/false
  [[ $output == *"/bin/false ended with exit code 1"* ]]
  if [ ! -x /usr/local/cuda/bin/cuobjdump ]; then
    cp "$GPUGAUGE_BUILD/bin/gpugauge" .
    run -3 env -u GPUGAUGE_CUOBJDUMP -u CUDA_HOME -u CUDA_PATH PATH=/nowhere ./gpugauge codegen "$GPUGAUGE_PLANTED"
    [[ $output == *"no cuobjdump was found"*"scripts/setup"* ]]
  fi
}

@test "what cannot be judged is refused: no such file, no code, a broken expectation" {
  run -2 gpugauge codegen /nonexistent
  [[ $output == *"/nonexistent is no file"* ]]
  run -2 gpugauge codegen "$GPUGAUGE_PLANTED" --expect /nonexistent
  echo '{"schema": "gpugauge-codegen-1", "kernels": [{"kernel": "a", "registers": 3}]}' >wrong.json
  run -2 gpugauge codegen "$GPUGAUGE_PLANTED" --expect wrong.json
  [[ $output == *"wrong.json: kernels[0]"*registers* ]]
  need_cuobjdump
  run -3 gpugauge codegen "$GPUGAUGE_BUILD/bin/gpugauge"
  [[ $output == *"nothing to judge"* ]]
}

@test "a bare cubin is read as the object that holds it, and one that is cut off is named" {
  need_cuobjdump
  nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
  [ -x "$nvcc" ] || skip "no nvcc"
  echo '__global__ void planted(float* p) { p[threadIdx.x] += 1; }' >k.cu
  "$nvcc" -cubin -arch=sm_90a k.cu -o k.cubin
  "$nvcc" -cubin -arch=sm_80 k.cu -o older.cubin
  "$nvcc" -c -gencode arch=compute_90a,code=sm_90a k.cu -o k.o
  echo '{"schema": "gpugauge-codegen-1", "kernels": [{"kernel": "planted", "architectures": ["sm_90a"], "least": {"FADD": 1}}]}' >k.json
  for file in k.o k.cubin; do
    run -0 gpugauge codegen $file --expect k.json --strict
    [[ ${lines[-1]} == "pass: 1 kernel as declared" ]]
    gpugauge codegen $file --expect k.json --json >"$file.json"
  done
  "$PYTHON" -c '
import json
one, other = (json.load(open(f"k.{kind}.json"))["kernels"] for kind in ("o", "cubin"))
for kernels in one, other:
    for kernel in kernels:
        kernel.pop("file", None)
assert one == other, (one, other)'
  # Each has its own architecture, and none is asked for another's.
  sed 's/"architectures": \["sm_90a"\], //' k.json >both.json
  run -0 gpugauge codegen k.cubin older.cubin k.o --expect both.json
  [[ ${lines[-1]} == "pass: 2 kernels as declared" ]]
  sed 's/"FADD"/"HGMMA"/' k.json >wrong.json
  run -1 gpugauge codegen k.cubin --expect wrong.json
  [[ $output == *"broken: planted on sm_90a: 0 HGMMA, and at least 1 are declared"* ]]
  head -c 2000 k.cubin >cut.cubin
  run -3 gpugauge codegen cut.cubin --expect k.json
  [[ $output == *"cut.cubin is a bare cubin that this cuobjdump cannot read: it is cut off, or of a newer CUDA"* ]]
}
