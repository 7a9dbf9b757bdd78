# shellcheck shell=bash disable=SC2034
# The gauge's certificate for the faults that show on the processors of a machine with a GPU, and its false alarms there.
STAGE_ORDER=45
STAGE_TITLE="Injected faults of the host"
STAGE_PROVES="faults set around the host's work are found and named first; three quiet runs raise no alarm"
STAGE_SECONDS=480
stage_commands() {
  # In the foreground: in the stage's own process group, so that what ends the stage ends this too.
  # 1: some were not found or not named; 3: its own limit ended it. The certificate says which, and what was not tried.
  cat <<'TEXT'
only=()
for fault in cpu_quota busy_core processors_taken memory_taken; do only+=(--only "$fault"); done
status=0
env -u CUDA_VISIBLE_DEVICES timeout --foreground --preserve-status --kill-after=20 440 "$BUILD/bin/gpugauge" selftest --inject --device host "${only[@]}" --quiet-runs 3 --output "$OUT/certificate.json" || status=$?
[ "$status" -le 1 ] || [ "$status" -eq 3 ]
python3 -B "$ROOT/scripts/lib/recorded.py" count faults "$OUT/certificate.json" >"$OUT/summary.json"
TEXT
}
