# shellcheck shell=bash disable=SC2034
# One round of the standard profile: the run file that baselines are made of.
STAGE_ORDER=20
STAGE_TITLE="A run of the standard profile"
STAGE_PROVES="a whole run of the standard profile: every benchmark is measured and verified in every process"
STAGE_SECONDS=480
# A whole round takes three minutes, and of one that was ended no baseline can be made.
STAGE_LEAST=225
stage_commands() {
  # shellcheck disable=SC2016
  measure_commands run.json $((STAGE_SECONDS - 40)) 90 '--device "$GPU_UUID" --profile standard'
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/recorded.py" count run "$OUT/run.json" >"$OUT/summary.json"
TEXT
}
