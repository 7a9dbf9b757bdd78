# shellcheck shell=bash disable=SC2034
# Collectives and copies between the node's GPUs; with one GPU only that NCCL starts and computes rightly.
STAGE_ORDER=35
STAGE_TITLE="What lies between the GPUs"
STAGE_PROVES="collectives and copies between GPUs; with one GPU only that NCCL starts and computes rightly"
STAGE_SECONDS=240
STAGE_LEAST=120
stage_commands() {
  without_kernel_names
  measure_commands links.json $((STAGE_SECONDS - 40)) 30 '--device links --profile standard'
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/recorded.py" count run "$OUT/links.json" >"$OUT/summary.json"
TEXT
}
