# shellcheck shell=bash disable=SC2034
# How far processes differ: five of products, memory and launching.
STAGE_ORDER=21
STAGE_TITLE="Spread between processes"
STAGE_PROVES="five processes differ by a robust coefficient of variation of 0.5% at most in products and memory, 2% in launching"
STAGE_SECONDS=480
stage_commands() {
  # The standard profile measures these classes in five processes. A spread above what was asked for is an answer, too.
  cat <<'TEXT'
status=0
"$BUILD/bin/gpugauge" run --device "$GPU_UUID" --profile standard --only gemm32 --only gemmtf32 --only gemm16 --only gemm8 --only hbm --only launch --output "$OUT/spread-run.json" || status=$?
[ "$status" -le 1 ]
python3 -B "$ROOT/scripts/lib/ratios.py" --spread "$OUT/spread-run.json" >"$OUT/spread.md" || [ $? -le 1 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count spread "$OUT/spread-run.json" >"$OUT/summary.json"
TEXT
}
