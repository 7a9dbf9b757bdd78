# shellcheck shell=bash disable=SC2034
# The gauge's certificate for the faults that show on a GPU. Those of the host have a stage of their own: together they would not fit.
STAGE_ORDER=40
STAGE_TITLE="Injected faults of a GPU"
STAGE_PROVES="faults set around a GPU's work are found by the judge and named first by the diagnosis"
STAGE_SECONDS=480
stage_commands() {
  # In the foreground: in the stage's own process group, so that what ends the stage ends this too.
  # 1: some were not found or not named; 3: its own limit ended it. The certificate says which, and what was not tried.
  cat <<'TEXT'
only=()
for fault in tf32_environment launch_blocking eager_loading forced_jit no_visible_device multiprocessors_taken device_memory_taken link_taken far_node small_shm nccl_transports; do only+=(--only "$fault"); done
status=0
env -u CUDA_VISIBLE_DEVICES timeout --foreground --preserve-status --kill-after=20 440 "$BUILD/bin/gpugauge" selftest --inject --device "$GPU_UUID" "${only[@]}" --output "$OUT/certificate.json" || status=$?
[ "$status" -le 1 ] || [ "$status" -eq 3 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count faults "$OUT/certificate.json" >"$OUT/summary.json"
TEXT
}
