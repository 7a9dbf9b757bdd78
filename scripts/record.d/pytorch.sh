# shellcheck shell=bash disable=SC2034
# Copy, triad and products beside PyTorch's. Its probe goes first: where there is no PyTorch, that is said at once.
STAGE_ORDER=25
STAGE_TITLE="Ratios against PyTorch"
STAGE_PROVES="copy and triad reach .98 of the best of cudaMemcpyAsync, CUB and PyTorch; products reach PyTorch's"
STAGE_SECONDS=300
STAGE_LEAST=240
stage_commands() {
  # Without TF32, in which PyTorch may be told to compute what is called fp32. What else the probe finds amiss is in its file.
  cat <<TEXT
status=0
NVIDIA_TF32_OVERRIDE=0 $(limited 120) "\$BUILD/bin/gpugauge" frameworks torch --output "\$OUT/pytorch-run.json" || status=\$?
[ -s "\$OUT/pytorch-run.json" ] && ! grep -q 'torch is not installed in ' "\$OUT/pytorch-run.json" || exit "\$status"
TEXT
  only_commands --pytorch
  # shellcheck disable=SC2016
  measure_commands ours-run.json $((STAGE_SECONDS > 180 ? STAGE_SECONDS - 160 : 20)) 30 '--device "$GPU_UUID" --profile deep "${only[@]}"'
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/ratios.py" --pytorch "$OUT/pytorch-run.json" "$OUT/ours-run.json" >"$OUT/ratios.md" || [ $? -le 2 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count pytorch "$OUT/pytorch-run.json" "$OUT/ours-run.json" >"$OUT/summary.json"
TEXT
}
