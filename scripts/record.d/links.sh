# shellcheck shell=bash disable=SC2034
# Collectives and copies between the node's GPUs; with one GPU only that NCCL starts and computes rightly.
STAGE_ORDER=25
STAGE_TITLE="What lies between the GPUs"
STAGE_PROVES="collectives and copies between GPUs; with one GPU only that NCCL starts and computes rightly"
STAGE_SECONDS=240
stage_commands() {
  cat <<'TEXT'
status=0
"$BUILD/bin/gpugauge" run --device links --profile standard --output "$OUT/links.json" || status=$?
[ "$status" -le 1 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count run "$OUT/links.json" >"$OUT/summary.json"
TEXT
}
