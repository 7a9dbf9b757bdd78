# shellcheck shell=bash disable=SC2034
# The certificate for the faults that slow the start of a program.
STAGE_ORDER=47
STAGE_TITLE="Injected faults of the start"
STAGE_PROVES="eager loading is found and named first, and so are the variables that force PTX to be compiled, by the doctor"
STAGE_SECONDS=480
# The least, by `gpugauge list`: five healthy rounds of quick with what shows it and two with the fault (10 s each), and 40 s to end.
STAGE_LEAST=120
stage_commands() {
  # shellcheck disable=SC2016
  fault_commands '--device "$GPU_UUID"' eager_loading forced_jit
}
