# shellcheck shell=bash disable=SC2034
# One round of the standard profile: the run file that baselines are made of.
STAGE_ORDER=20
STAGE_TITLE="A run of the standard profile"
STAGE_SECONDS=480
stage_commands() {
  cat <<TEXT
"\$BUILD/bin/gpugauge" run --device "\$GPU_UUID" --profile standard --output "\$OUT/run.json"
TEXT
}
