# shellcheck shell=bash disable=SC2034
# What the doctor sees on a machine with a GPU, redacted: the example in docs is made of it.
STAGE_ORDER=5
STAGE_TITLE="The doctor's report"
STAGE_PROVES="the inventory on a node with a GPU: every fact is read, and no failure is found"
STAGE_SECONDS=60
STAGE_LEAST=20
STAGE_OWN_LIBRARIES=yes  # it lists what the loader finds
stage_commands() {
  # Ending with 1 is an answer too: a machine that does not fit is recorded as it is.
  cat <<'TEXT'
status=0
env -u CUDA_VISIBLE_DEVICES "$BUILD/bin/gpugauge" doctor --redact --all --report json="$OUT/doctor.json" --report markdown="$OUT/doctor.md" >"$OUT/doctor.txt" || status=$?
[ "$status" -le 1 ] || { tail -n 1 "$OUT/doctor.txt"; exit 1; }
python3 -B "$ROOT/scripts/lib/recorded.py" count doctor "$OUT/doctor.json" >"$OUT/summary.json"
TEXT
}
