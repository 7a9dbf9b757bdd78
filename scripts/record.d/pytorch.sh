# shellcheck shell=bash disable=SC2034
# Copy, triad and products beside PyTorch's. Its probe goes first: where there is no PyTorch, that is said at once.
STAGE_ORDER=25
STAGE_TITLE="Ratios against PyTorch"
STAGE_PROVES="copy and triad reach .98 of the best of cudaMemcpyAsync, CUB and PyTorch; products reach PyTorch's"
STAGE_SECONDS=300
STAGE_LEAST=120
# What the stage `ratios` measured on this machine with this build is not measured again.
ours_of=""
# shellcheck disable=SC2154  # output comes from scripts/record
if ours_here "$output/ratios"; then
  STAGE_SECONDS=150
  STAGE_LEAST=75
  ours_of=ratios
fi
stage_commands() {
  local probe=$((STAGE_SECONDS - 30)) half=$(((STAGE_SECONDS - 40) / 2))
  [[ -n "$ours_of" ]] || probe="$half"
  without_kernel_names
  # Without TF32, in which PyTorch may be told to compute what is called fp32. What else the probe finds amiss is in its file.
  cat <<TEXT
status=0
NVIDIA_TF32_OVERRIDE=0 $(limited "$probe") "\$BUILD/bin/gpugauge" frameworks torch --output "\$OUT/pytorch-run.json" || status=\$?
[ -s "\$OUT/pytorch-run.json" ] && ! grep -Eq '"framework.installed": ?"no"' "\$OUT/pytorch-run.json" || exit "\$status"
TEXT
  # shellcheck disable=SC2016
  if [[ -z "$ours_of" ]]; then
    only_commands --pytorch
    measure_commands ours-run.json "$half" 90 '--device "$GPU_UUID" --profile deep "${only[@]}"'
    echo 'file="$OUT/ours-run.json"'
  else
    echo 'file="$OUT/../ratios/ratios-run.json"'
  fi
  cat <<'TEXT'
python3 -B "$ROOT/scripts/lib/ratios.py" --pytorch "$OUT/pytorch-run.json" "$file" >"$OUT/ratios.md" || [ $? -le 2 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count pytorch "$OUT/pytorch-run.json" "$file" >"$OUT/summary.json"
TEXT
}
