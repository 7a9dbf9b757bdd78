# shellcheck shell=bash disable=SC2034
# The tests under the label `gpu`, by their own executable: no CTest is needed.
STAGE_ORDER=10
STAGE_TITLE="GPU tests"
STAGE_PROVES="every kernel against its reference on random shapes; the timer against kernels of known length"
STAGE_SECONDS=300
stage_commands() {
  # 1: some failed, and the file says which. What crashed has written none.
  cat <<'TEXT'
status=0
"$BUILD/bin/test_gpu" --gtest_output="json:$OUT/tests.json" || status=$?
[ "$status" -le 1 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count tests "$OUT/tests.json" >"$OUT/summary.json"
TEXT
}
