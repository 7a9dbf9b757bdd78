# shellcheck shell=bash disable=SC2034
# The GPU tests under NVIDIA's compute-sanitizer: memory errors, races, barriers, memory that was never written.
STAGE_ORDER=12
STAGE_TITLE="GPU tests under compute-sanitizer"
STAGE_PROVES="memcheck, racecheck, synccheck and initcheck find nothing in the GPU tests, large sizes made small"
STAGE_SECONDS=480
STAGE_LEAST=60
# It took 65 to 100 s on an H200. One tool that hangs must not take the time of the stages behind.
# shellcheck disable=SC2154  # budget comes from scripts/record
if ((${budget:-900} < 900)); then
  STAGE_SECONDS=180
fi
stage_commands() {
  # Timing makes no sense under it: the tests of the timer and of the blocking kernel are left out; so is the one that asks CUPTI for
  # the names of kernels, which serves the sanitizer alone. Large sizes are made small
  # (GPUGAUGE_TEST_SMALL), and the summary names the tests that were. All suites under the first tool, which finds most, before those
  # under the next; several at a time, for most of it is work of the processors.
  cat <<'TEXT'
sanitizer="$(command -v compute-sanitizer || true)"
[ -n "$sanitizer" ] || sanitizer="${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer"
[ -x "$sanitizer" ] || { echo "compute-sanitizer is not installed: it comes with the CUDA toolkit"; exit 1; }
export GPUGAUGE_TEST_SMALL=1
under=()
for tool in memcheck racecheck synccheck initcheck; do under+=(--under "$tool='$sanitizer' --tool $tool --error-exitcode 9"); done
TEXT
  jobs_commands 12
  # shellcheck disable=SC2016
  suites_commands sanitizer.json $((STAGE_SECONDS - 20)) 110 "--filter='-Blocking.*:Ruler.*:*.kernels_that_ran_are_named*' --jobs \"\$jobs\" \"\${under[@]}\""
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/recorded.py" count sanitizer "$OUT/sanitizer.json" >"$OUT/summary.json"
TEXT
}
