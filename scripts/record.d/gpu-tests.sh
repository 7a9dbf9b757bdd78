# shellcheck shell=bash disable=SC2034
# The tests under the label `gpu`, by their own executable: no CTest is needed.
STAGE_ORDER=10
STAGE_TITLE="GPU tests"
STAGE_PROVES="every kernel against its reference on random shapes; the timer against kernels of known length"
STAGE_SECONDS=300
STAGE_LEAST=40
stage_commands() {
  # The others share the GPU: what they look at is not how long it takes.
  jobs_commands 4
  suites_commands tests.json $((STAGE_SECONDS - 20)) 60 "--jobs \"\$jobs\" --alone Blocking,Ruler"
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/recorded.py" count tests "$OUT/tests.json" >"$OUT/summary.json"
TEXT
}
