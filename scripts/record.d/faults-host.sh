# shellcheck shell=bash disable=SC2034
# The gauge's certificate for the faults that show on the processors of a machine with a GPU, and its false alarms there.
STAGE_ORDER=60
STAGE_TITLE="Injected faults of the host"
STAGE_PROVES="faults set around the host's work are found and named first; three quiet runs raise no alarm"
STAGE_SECONDS=480
# The least, by `gpugauge list`: five healthy rounds of smoke and two with the fault (9 s each), and 40 s to end.
STAGE_LEAST=110
STAGE_ALONE=yes  # it needs no GPU, whose minutes are scarce
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device host --quiet-runs 3' cpu_quota busy_core processors_taken memory_taken
}
