# shellcheck shell=bash disable=SC2034
# What launching costs, with its tail: every benchmark of launch and first_launch, in the deep profile.
STAGE_ORDER=22
STAGE_TITLE="Percentiles of launching"
STAGE_PROVES="launch latencies: p50, p90 and p99 over batches, of each benchmark of launch and first_launch that has them"
STAGE_SECONDS=300
# A batch is the mean over its operations; benchmarks with metrics of their own have no batches, and are counted as no answer.
stage_commands() {
  cat <<'TEXT'
status=0
"$BUILD/bin/gpugauge" run --device "$GPU_UUID" --profile deep --only 'launch/*' --only 'first_launch/*' --output "$OUT/launch-run.json" || status=$?
[ "$status" -le 1 ]
python3 -B "$ROOT/scripts/lib/recorded.py" percentiles "$OUT/launch-run.json" >"$OUT/launch.md"
python3 -B "$ROOT/scripts/lib/recorded.py" count launch "$OUT/launch-run.json" >"$OUT/summary.json"
TEXT
}
