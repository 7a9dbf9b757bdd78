# shellcheck shell=bash disable=SC2034
# Copy, triad and products beside PyTorch's. Its probe goes first: where there is no PyTorch, that is said at once.
STAGE_ORDER=35
STAGE_TITLE="Ratios against PyTorch"
STAGE_PROVES="copy and triad reach .98 of the best of cudaMemcpyAsync, CUB and PyTorch; products reach PyTorch's"
STAGE_SECONDS=300
stage_commands() {
  # Without TF32, in which PyTorch may be told to compute what is called fp32.
  cat <<'TEXT'
NVIDIA_TF32_OVERRIDE=0 "$BUILD/bin/gpugauge" frameworks torch --output "$OUT/pytorch-run.json"
only=()
while IFS= read -r id; do only+=(--only "$id"); done < <(python3 -B "$ROOT/scripts/lib/ratios.py" --pytorch --ids)
status=0
"$BUILD/bin/gpugauge" run --device "$GPU_UUID" --profile deep "${only[@]}" --output "$OUT/ours-run.json" || status=$?
[ "$status" -le 1 ]
python3 -B "$ROOT/scripts/lib/ratios.py" --pytorch "$OUT/pytorch-run.json" "$OUT/ours-run.json" >"$OUT/ratios.md" || [ $? -le 1 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count pytorch "$OUT/pytorch-run.json" "$OUT/ours-run.json" >"$OUT/summary.json"
TEXT
}
