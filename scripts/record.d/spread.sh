# shellcheck shell=bash disable=SC2034
# How far processes differ: five of products, memory and launching, of the stage `run` where that is recorded for what is here and whole;
# where time is short three will do.
STAGE_ORDER=21
STAGE_TITLE="Spread between processes"
STAGE_PROVES="five processes differ by a robust coefficient of variation of 0.5% at most in products and memory, 2% in launching"
STAGE_SECONDS=480
spread_of=""
# shellcheck disable=SC2154  # output and budget come from scripts/record
if whole_run_here "$output/run"; then
  STAGE_SECONDS=30
  spread_of=run
elif [[ -n "$budget" ]] && spread_here "$output/run"; then
  STAGE_SECONDS=20  # below that of a whole run, of which it is counted anew then
  spread_of=run
fi
stage_commands() {
  without_kernel_names
  # The standard profile measures these classes in five processes. A spread above what was asked for is an answer, too.
  if [[ -n "$spread_of" ]]; then
    # shellcheck disable=SC2016
    echo 'file="$OUT/../run/run.json"'
  else
    # shellcheck disable=SC2016
    measure_commands spread-run.json $((STAGE_SECONDS - 40)) 90 '--device "$GPU_UUID" --profile standard --only gemm32 --only gemmtf32 --only gemm16 --only gemm8 --only hbm --only launch'
    # shellcheck disable=SC2016
    echo 'file="$OUT/spread-run.json"'
  fi
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/ratios.py" --spread "$file" >"$OUT/spread.md" || [ $? -le 2 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count spread "$file" >"$OUT/summary.json"
TEXT
}
