# shellcheck shell=bash disable=SC2034
# What launching costs, with its tail: every benchmark of launch and first_launch, in the deep profile.
STAGE_ORDER=30
STAGE_TITLE="Percentiles of launching"
STAGE_PROVES="launch latencies: p50, p90 and p99 over batches, of each benchmark of launch and first_launch that has them"
STAGE_SECONDS=300
STAGE_LEAST=90
# A batch is the mean over its operations; benchmarks with metrics of their own have no batches, and are not asked.
stage_commands() {
  without_kernel_names
  # A process of launch takes longer than those of other stages: 15 s of windows, and one benchmark that waits for the GPU to idle.
  # shellcheck disable=SC2016
  measure_commands launch-run.json $((STAGE_SECONDS - 40)) 60 "--device \"\$GPU_UUID\" --profile deep --only 'launch/*' --only 'first_launch/*'"
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/recorded.py" percentiles "$OUT/launch-run.json" >"$OUT/launch.md"
python3 -B "$ROOT/scripts/lib/recorded.py" count launch "$OUT/launch-run.json" >"$OUT/summary.json"
TEXT
}
