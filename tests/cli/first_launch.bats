# A family that takes its samples in fresh processes of its own executable.
load common

family() {
  "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-first_launch" "$@"
}

needs_family() {
  [ -x "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-first_launch" ] || skip "this build has no CUDA families"
}

@test "the fresh process hands back times, or one sentence why there are none" {
  needs_family
  local part
  for part in first_launch first_launch_of_ptx; do
    if has_gpu; then
      family --gpugauge_child=$part 3>report
      grep -q '^first_launch ' report && grep -q '^wrong_values 0.0' report
      [ "$(tail -n 1 report)" = end ]
    else
      run -1 family --gpugauge_child=$part 3>report
      [ "$(wc -l <report)" -eq 1 ]
      grep -q '^failed counting the GPUs failed: cudaError' report
    fi
  done
}

@test "the executable carries the first kernel as PTX of 7.5, and no PTX of anything else" {
  needs_family
  grep -aoE '^(\.target sm_[0-9a-z]+|\.visible \.entry [^(]+)' "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-first_launch" >texts
  diff - texts <<<$'.target sm_75\n.visible .entry first_kernel'
}

# notes_of ID: its status and notes, measured with a CUDA runtime and a driver that are made for tests.
notes_of() {
  local made="$GPUGAUGE_BUILD/tests/fakes/runtime/starts/gpugauge-bench-first_launch"
  [ -x "$made" ] || skip "this build has no fake CUDA runtime"
  echo runtime_devices=1 >scenario
  LD_LIBRARY_PATH="$GPUGAUGE_BUILD/tests/fakes/driver" GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" \
    "$made" --gpugauge_window=0.02 --gpugauge_samples=samples.json --benchmark_filter="^$1\$" >printed || true
  "$PYTHON" - <<'PY'
import json
(one,) = json.load(open("samples.json"))["benchmarks"]
print(one["status"], *(f"{name}={one['notes'][name]}" for name in ("ptx_version", "cache_files", "cache_used") if name in one["notes"]))
PY
}

@test "PTX is handed to the driver, which may keep what it compiled and use it; CUDA_FORCE_PTX_JIT does not reach the process" {
  [ "$(notes_of first_launch/kernel/lazy)" = "ok ptx_version=90" ]
  [ "$(notes_of first_launch/kernel/jit_cold)" = "ok ptx_version=75 cache_files=1" ]
  [ "$(notes_of first_launch/kernel/jit_warm)" = "ok ptx_version=75 cache_files=1 cache_used=yes" ]
  export CUDA_FORCE_PTX_JIT=1
  [ "$(notes_of first_launch/kernel/jit_warm)" = "ok ptx_version=75 cache_files=1 cache_used=yes" ]
}

@test "a cache that keeps nothing is noted, and PTX that the driver refuses or may not compile ends the benchmark with the reason" {
  [[ "$(CUDA_CACHE_DISABLE=1 notes_of first_launch/kernel/jit_warm)" == "ok ptx_version=75 cache_files=0 cache_used=no: it holds no file, 0."* ]]
  [ "$(GPUGAUGE_FAKE_CUDA=cuModuleLoadData=218 notes_of first_launch/kernel/jit_cold)" = failed ]
  grep -q "loading PTX failed: cudaErrorInvalidPtx (218)" printed
  [ "$(CUDA_DISABLE_PTX_JIT=1 notes_of first_launch/kernel/jit_cold)" = skipped ]
  grep -q "CUDA_DISABLE_PTX_JIT is set: the driver is to compile no PTX" printed
}

@test "a part that nobody plays, and a report that nobody reads, end the process" {
  needs_family
  run -2 family --gpugauge_child=nobody
  [[ $output == *"--gpugauge_child=nobody: this family has no such part"* ]]
  run -1 family --gpugauge_child=first_launch 3>&-
  run -2 family --gpugauge_child=
  [[ $output == *"no such flag, or its value is missing"* ]]
}

@test "a family alone takes a depth, and refuses one that does not exist" {
  needs_family
  run -0 family --benchmark_list_tests --gpugauge_depth=quick
  [ "$output" = first_launch/kernel/lazy ]
  run -0 family --benchmark_list_tests --gpugauge_depth=deep
  [ "${#lines[@]}" -eq 5 ]
  run -2 family --benchmark_list_tests --gpugauge_depth=smoke
  [[ $output == *"no benchmark is chosen"* ]]
  run -2 family --gpugauge_depth=abyss
  [[ $output == *"'abyss' is no depth; there are smoke, quick, standard, deep, exhaustive"* ]]
}
