# shellcheck shell=bash disable=SC2034
# The GPU tests under NVIDIA's compute-sanitizer: memory errors, races, barriers, memory that was never written.
STAGE_ORDER=60
STAGE_TITLE="GPU tests under compute-sanitizer"
STAGE_PROVES="memcheck, racecheck, synccheck and initcheck find nothing in the GPU tests, large sizes made small"
STAGE_SECONDS=480
stage_commands() {
  # Timing makes no sense under it: the tests of the timer and of the blocking kernel are left out. Large sizes are made small
  # (GPUGAUGE_TEST_SMALL), and the summary names the tests that were. A tool that finds something, or runs past its share of the
  # time, is an answer; the others still run. Each is a process group of its own, which the trap ends.
  cat <<'TEXT'
sanitizer="$(command -v compute-sanitizer || true)"
[ -n "$sanitizer" ] || sanitizer="${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer"
[ -x "$sanitizer" ] || { echo "compute-sanitizer is not installed: it comes with the CUDA toolkit"; exit 1; }
trap 'kill -TERM "$pid"; exit 143' TERM
export GPUGAUGE_TEST_SMALL=1
for tool in memcheck racecheck synccheck initcheck; do
  status=0
  timeout --kill-after=5 110 "$sanitizer" --tool "$tool" --error-exitcode 9 --log-file "$OUT/$tool.txt" \
    "$BUILD/bin/test_gpu" --gtest_filter='-Blocking.*:Ruler.*' --gtest_output="json:$OUT/$tool.json" \
    >"$OUT/$tool-tests.txt" 2>&1 &
  pid=$!
  wait "$pid" || status=$?
  echo "$status" >"$OUT/$tool.status"
done
python3 -B "$ROOT/scripts/lib/recorded.py" count sanitizer "$OUT" >"$OUT/summary.json"
TEXT
}
