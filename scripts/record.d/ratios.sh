# shellcheck shell=bash disable=SC2034
# The hand-written kernels beside NVIDIA's libraries, in one run with the same inputs.
STAGE_ORDER=15
STAGE_TITLE="Ratios against cuBLAS, CUB, cuDNN, cudaMemcpyAsync and the rates of instructions"
STAGE_PROVES="hand-written kernels reach the ratios asked for beside cuBLAS, CUB, cuDNN and cudaMemcpyAsync, and the peak kernels 0.95 of their rates"
STAGE_SECONDS=480
STAGE_LEAST=150
# Each ratio is of the median of two to five rounds. Where time is short, two to three will do: the stages behind need theirs.
# shellcheck disable=SC2154  # budget comes from scripts/record
if ((${budget:-900} < 900)); then
  STAGE_SECONDS=240
fi
stage_commands() {
  without_kernel_names
  # A ratio below what was asked for is an answer, too: the table is kept as it is, and the summary says which.
  only_commands ""
  # shellcheck disable=SC2016
  measure_commands ratios-run.json $((STAGE_SECONDS - 90)) 90 '--device "$GPU_UUID" --profile deep "${only[@]}"'
  # Which kernels the libraries took is asked behind what counts, in processes of its own: CUPTI has no part in any figure, and where it
  # ends one of these, only names are missing.
  cat <<'TEXT'
named=()
for family in cublas cudnn cub; do
  [ -x "$BUILD/libexec/gpugauge/gpugauge-bench-$family" ] || continue
  file="$OUT/kernels-$family.json"
  env -u GPUGAUGE_KERNEL_NAMES timeout --foreground --kill-after=5 20 "$BUILD/libexec/gpugauge/gpugauge-bench-$family" \
    --gpugauge_window=0.02 --gpugauge_samples="$file" \
    --benchmark_filter="$(python3 -B "$ROOT/scripts/lib/ratios.py" --compared "$family")" >/dev/null || echo "$family: names of kernels may be missing"
  [ ! -s "$file" ] || named+=(--kernels "$file")
done
python3 -B "$ROOT/scripts/lib/ratios.py" "${named[@]}" "$OUT/ratios-run.json" >"$OUT/ratios.md" || [ $? -le 2 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count ratios "$OUT/ratios-run.json" >"$OUT/summary.json"
TEXT
}
