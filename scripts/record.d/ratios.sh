# shellcheck shell=bash disable=SC2034
# The hand-written kernels beside NVIDIA's libraries, in one run with the same inputs.
STAGE_ORDER=30
STAGE_TITLE="Ratios against cuBLAS, CUB and cuDNN"
STAGE_SECONDS=480
stage_commands() {
  # A ratio below what was asked for is an answer, too: the table is kept as it is.
  cat <<TEXT
only=()
while IFS= read -r id; do only+=(--only "\$id"); done < <(python3 "\$ROOT/scripts/lib/ratios.py" --ids)
"\$BUILD/bin/gpugauge" run --device "\$GPU_UUID" --profile deep "\${only[@]}" --output "\$OUT/ratios-run.json"
status=0
python3 "\$ROOT/scripts/lib/ratios.py" "\$OUT/ratios-run.json" >"\$OUT/ratios.md" || status=\$?
[ "\$status" -le 1 ]
TEXT
}
