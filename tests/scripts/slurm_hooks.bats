# shellcheck disable=SC2154  # slurm comes from slurm_fakes
# Prolog, epilog and health check of scripts/slurm with Slurm's commands and the stored verdict made up. The same on a real Slurm:
# tests/slurm/slurm.bats, which scripts/test --all runs.
load slurm_fakes

# The wrappers with settings beside them; wrapper NAME runs one as Slurm does, with next to no environment.
settings() {
  cp -r "$slurm" own
  printf '%s\n' "# made" "gpugauge=$PWD/bin/gpugauge" "state=$PWD/state" "$@" >own/slurm.conf
}
wrapper() {
  env -i PATH="$PATH" FAKE_SLURM="$FAKE_SLURM" SLURM_JOB_ID=7 SLURMD_NODENAME=node4 STATUS_ENDS="${STATUS_ENDS:-0}" \
    STATUS_SAYS="${STATUS_SAYS:-}" STATUS_SLEEPS="${STATUS_SLEEPS:-}" "$PWD/own/$1"
}

@test "prolog, epilog and health check are silent and let jobs start when there is nothing against the node" {
  settings on_regression=drain
  for name in prolog epilog healthcheck; do
    STATUS_SAYS="host: pass, 3 h ago" run -0 wrapper "$name"
    [ "$output" = "" ]
  done
  # No verdict, a tool error, a command that is not there: no job is kept away and no node drained.
  for code in 2 3 4 126 127; do
    for name in prolog epilog healthcheck; do
      STATUS_ENDS=$code STATUS_SAYS="no verdict is stored" run -0 wrapper "$name"
      [[ $output != *ERROR* ]]
    done
  done
  STATUS_ENDS=3 STATUS_SAYS="no verdict is stored" run -0 wrapper prolog
  [[ $output == *"node4: no verdict: no verdict is stored"* ]]
  # A verdict that is missing is no word of the health check; one that cannot be asked for is.
  for code in 3 4; do
    STATUS_ENDS=$code STATUS_SAYS="no verdict is stored" run -0 wrapper healthcheck
    [ "$output" = "" ]
  done
  STATUS_ENDS=2 STATUS_SAYS="gpugauge: the folder cannot be read" run -0 wrapper healthcheck
  [ "$output" = "WARN gpugauge: node4: gpugauge status ended with 2: gpugauge: the folder cannot be read" ]
  sed -i "s#^gpugauge=.*#gpugauge=$PWD/gone/gpugauge#" own/slurm.conf
  run -0 wrapper healthcheck
  [ "$output" = "WARN gpugauge: node4: $PWD/gone/gpugauge could not be started" ]
  [ ! -e fake/calls ]
}

@test "a regression is reported, and the node drained only where the settings say so" {
  settings
  STATUS_ENDS=1 STATUS_SAYS=$'GPU 0: regressed, 3 h ago: pcie_link_degraded\nGPU 1: pass'
  run -0 wrapper prolog
  [[ $output == *"node4 before job 7: GPU 0: regressed, 3 h ago: pcie_link_degraded" ]]
  run -0 wrapper epilog
  run -0 wrapper healthcheck
  [ "$(grep -c . <<<"$output")" = 1 ]
  [[ $output == "ERROR gpugauge: node4: GPU 0: regressed"* ]]
  [ ! -e fake/calls ]

  rm -r own && settings on_regression=drain
  run -1 wrapper prolog
  [[ $(cat fake/nodes/node4) == $'IDLE+DRAIN\ngpugauge: GPU 0: regressed, 3 h ago: pcie_link_degraded' ]]
  printf 'IDLE+DRAIN\nan administrator' >fake/nodes/node4
  run -1 wrapper prolog
  run -0 wrapper epilog
  run -0 wrapper healthcheck
  [ "$(tail -n 1 fake/nodes/node4)" = "an administrator" ]
  STATUS_ENDS=0 STATUS_SAYS="pass" run -0 wrapper healthcheck
  [ "$(tail -n 1 fake/nodes/node4)" = "an administrator" ]
}

# status_of_eight WORD...: what gpugauge status says of eight GPUs, of which the last have these words.
status_of_eight() {
  local index word id
  for index in 0 1 2 3 4 5 6 7; do
    word=pass
    ((index < 8 - $#)) || word="${*:index - 7 + $#:1}"
    id="GPU-$index$index$index$index$index$index$index$index-1234-5678-9abc-def012345678"
    case "$word" in
      pass) echo "GPU $index NVIDIA H100 80GB HBM3 ($id): pass, 3 h ago: 119 of 119 metrics within limits" ;;
      unknown) echo "GPU $index NVIDIA H100 80GB HBM3 ($id): cannot judge: the machine was started anew; then it was: regressed: 2 of 119 metrics" ;;
      *) echo "GPU $index NVIDIA H100 80GB HBM3 ($id): $word, 3 h ago, hbm_thermal (0.82): $word: 2 of 119 metrics (hbm/read)" ;;
    esac
  done
}

@test "the reason names who fails, not the GPUs before it that pass" {
  settings on_regression=drain
  STATUS_ENDS=1
  STATUS_SAYS="$(status_of_eight unknown regressed pass)"
  run -1 wrapper prolog
  [[ $output == *"node4 before job 7: GPU 6 NVIDIA H100 80GB HBM3 (GPU-66666666-"*"): regressed, 3 h ago, hbm_thermal (0.82): "* ]]
  [[ $(cat fake/nodes/node4) == $'IDLE+DRAIN\ngpugauge: GPU 6 '*"): regressed, 3 h ago, hbm_thermal"* && $(cat fake/nodes/node4) != *pass* ]]
  run -0 wrapper healthcheck
  [[ $output == "ERROR gpugauge: node4: GPU 6 "* && $output != *"GPU 5"* ]]
  STATUS_SAYS="$(status_of_eight regressed failed)"
  run -0 wrapper healthcheck
  [[ $output == "ERROR gpugauge: node4: 2 devices: GPU 6 "*": regressed, "*"; GPU 7 "* ]]
  STATUS_ENDS=3 STATUS_SAYS="$(status_of_eight unknown)" run -0 wrapper prolog
  [[ $output == *"node4: no verdict: GPU 7 "*": cannot judge: the machine was started anew"* ]]
}

@test "the wrappers read what a real check has stored" {
  "$REAL" --help | grep -q '^  status ' || skip "this build has no gpugauge status"
  settings device=host on_regression=drain
  sed -i "s#^gpugauge=.*#gpugauge=$REAL#" own/slurm.conf
  run -0 wrapper prolog
  [[ $output == *"node4: no verdict: "* ]]
  # Without a baseline one benchmark is not judged: a verdict that lets jobs start, and is said with its reason.
  GPUGAUGE_STATE="$PWD/state" run -3 "$REAL" check --device host --profile smoke --only 'host/clock_gettime*' --quiet
  run -0 wrapper prolog
  [[ $output == *"node4: no verdict: "*"nothing to judge the measurement by"* ]]
  for name in epilog healthcheck; do
    run -0 wrapper "$name"
    [ "$output" = "" ]
  done
  [ ! -e fake/calls ]
}

# A real check of the host whose stored outcome is then edited to a regression, as no healthy machine has one.
regressed_host() {
  GPUGAUGE_STATE="$PWD/state" run -3 "$REAL" check --device host --profile smoke --only 'host/clock_gettime*' --quiet
  "${GPUGAUGE_PYTHON:-python3}" - "$PWD/state/verdicts/host.json" <<'PY'
import json, sys
verdict = json.load(open(sys.argv[1]))
verdict["outcome"] = {"exit_code": 1, "word": "regressed", "sentence": "regressed: 1 of 1 metric (host/clock_gettime:latency)"}
json.dump(verdict, open(sys.argv[1], "w"))
PY
}

@test "a regression that the real status repeats: reported, or the node drained with that reason" {
  regressed_host
  settings device=host
  sed -i "s#^gpugauge=.*#gpugauge=$REAL#" own/slurm.conf
  run -0 wrapper prolog
  [[ $output == *"node4 before job 7: Host "*": regressed, "*" ago: "*"1 of 1 metric (host/clock_gettime:latency)"* ]]
  run -0 wrapper epilog
  [[ $output == *"node4 after job 7: Host "*": regressed, "* ]]
  run -0 wrapper healthcheck
  [[ $output == "ERROR gpugauge: node4: Host "*": regressed, "* ]]
  [ ! -e fake/calls ]

  local name
  for name in prolog:1 epilog:0 healthcheck:0; do
    rm -r own
    settings device=host on_regression=drain
    sed -i "s#^gpugauge=.*#gpugauge=$REAL#" own/slurm.conf
    echo IDLE >fake/nodes/node4
    run "-${name#*:}" wrapper "${name%:*}"
    [[ $(cat fake/nodes/node4) == $'IDLE+DRAIN\ngpugauge: Host '*": regressed, "*" ago: "*"1 of 1 metric (host/clock_gettime:latency)"* ]]
  done
  # With a pass in its place nobody is kept away.
  echo IDLE >fake/nodes/node4
  sed -i 's/"exit_code": 1, "word": "regressed", "sentence": "regressed: /"exit_code": 0, "word": "pass", "sentence": "pass: /' state/verdicts/host.json
  for name in prolog epilog healthcheck; do run -0 wrapper "$name"; [ "$output" = "" ]; done
  [ "$(cat fake/nodes/node4)" = IDLE ]
}

@test "a node that has not the GPUs that the policy expects is kept from jobs; without a policy it is not" {
  ! nvidia-smi -L >/dev/null 2>&1 || skip "this machine has a GPU"
  settings on_regression=drain
  sed -i "s#^gpugauge=.*#gpugauge=$REAL#" own/slurm.conf
  GPUGAUGE_STATE="$PWD/state" run -3 "$REAL" check --quiet
  run -0 wrapper prolog
  [ "$(cat fake/nodes/node4)" = IDLE ]
  echo '{"schema": "gpugauge.policy/1", "expect": {"gpus": 8}}' >policy.json
  GPUGAUGE_STATE="$PWD/state" run -1 "$REAL" check --quiet --policy policy.json
  run -1 wrapper prolog
  [[ $(cat fake/nodes/node4) == *"Node: failed"*"the policy expects 8 GPUs and 0 are usable"* ]]
}

@test "a verdict may be as old as two of a busy node are apart: a night, the wait for the node, the check" {
  minutes=$((1440 + $(sed -n 's/.*"--wait".*default=\([0-9]*\).*/\1/p' "$slurm/gauge") + $(sed -n 's/^LIMITS = .*"check": \([0-9]*\)}$/\1/p' "$slurm/gauge")))
  hours="$(sed -n 's/.* max_age=\([0-9]*\)h .*/\1/p' "$slurm/settings.sh")"
  ((minutes > 1440 + 120 && minutes < 60 * hours && 60 * hours < minutes + 120))
  grep -qx "#max_age=${hours}h" "$slurm/slurm.conf.example"
}

@test "status answers within a second, with a verdict and without one" {
  # The best of five: other tests run at the same time. An end after the second is 124.
  answers() {
    local ended
    for _ in 1 2 3 4 5; do
      ended=0
      GPUGAUGE_STATE="$PWD/state" timeout 1 "$REAL" status --device host >said || ended=$?
      [ "$ended" = 124 ] || return "$ended"
    done
    return 124
  }
  run -3 answers
  [[ $(cat said) == *"was never gauged"* ]]
  regressed_host
  run -1 answers
  [[ $(cat said) == *": regressed, "* ]]
}

@test "a status or a controller that hangs keeps nobody waiting" {
  settings on_regression=drain
  sed -i 's/status_seconds=5 scontrol_seconds=10/status_seconds=5 scontrol_seconds=6/' own/settings.sh
  STATUS_SLEEPS=300 run -0 wrapper prolog
  [[ $output == *"gave no answer within 5 s"* ]]
  touch fake/hangs
  STATUS_ENDS=1 STATUS_SAYS="regressed" run -1 wrapper prolog
  [[ $output == *"no answer within 6 s"*"node4 could not be drained"* ]]
}

@test "a prolog that Slurm kills while it waits leaves no file" {
  mkdir tmp
  TMPDIR="$PWD/tmp" bash -c '. "$1/settings.sh"; bounded 20 bash -c "echo begun; echo \$\$ >begun; exec sleep 20"' - "$slurm" >out 3>&- &
  local pid=$!
  for _ in $(seq 200); do [ ! -s begun ] || break; sleep 0.05; done
  kill -KILL "$pid" "$(cat begun)"
  wait "$pid" || true
  [ -z "$(ls -A tmp)" ]
  # shellcheck disable=SC2016  # the inner shell expands it
  TMPDIR="$PWD/tmp" run -7 bash -c '. "$1/settings.sh"; bounded 20 bash -c "echo said; echo more >&2; exit 7"' - "$slurm"
  [ "$output" = $'said\nmore' ]
  [ -z "$(ls -A tmp)" ]
}
