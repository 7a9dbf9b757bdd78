#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154  # what stands in single quotes is expanded by the programs made of it; $stderr is set by run
# What runs in the pods of scripts/kubernetes, as it is written: the init containers, the removal of old nights, the plugin of
# node-problem-detector as that starts it, the admission pod. No cluster is asked.
load kubernetes_fakes

# ask CODE [VARIABLE=VALUE...]: the plugin as node-problem-detector starts it, by dash; its message must keep to the limits.
ask() {
  local limit code="$1"
  shift
  limit="$("$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["pluginConfig"]["max_output_length"])' "$here/npd/gpugauge.json")"
  run "-$code" --separate-stderr env "$@" dash "$here/npd/check_gpugauge.sh"
  echo "message: $output"
  [ "${#lines[@]}" -eq 1 ]
  [ "$(printf %s "$output" | LC_ALL=C wc -c)" -le "$limit" ]
  [ "$(printf %s "$output" | LC_ALL=C tr -d ' -~' | wc -c)" -eq 0 ]
}

# folders_of FILE: the scripts of the two init containers as they are written, on ./results and ./state: own.sh and make.sh.
folders_of() {
  "$PYTHON" - "$1" <<'PY'
import os, sys, yaml
pod = next(yaml.safe_load_all(open(sys.argv[1])))["spec"]["template"]["spec"]
own, make = pod["initContainers"]
assert (own["name"], make["name"]) == ("own-the-folders", "make-the-folder")
assert own["securityContext"]["runAsUser"] == 0 and "runAsUser" not in make["securityContext"]
for name, one in (("own.sh", own), ("make.sh", make)):
    assert one["command"][:2] == ["/bin/sh", "-c"] and "$(" not in one["command"][2]   # Kubernetes would look for a variable
    text = one["command"][2].replace("/results", os.getcwd() + "/results").replace("/var/lib/gpugauge", os.getcwd() + "/state")
    open(name, "w").write(text)
PY
}

@test "the user makes its own folder on the claim; root gives it what is not its own, and where it may not nothing is lost" {
  "$here/jobs" --night 2026-11-22 node-1=8 >job.yaml
  cp "$here/admission.yaml" .
  printf '#!/bin/sh\necho "$*" >>owned\n' >bin/chown
  chmod +x bin/chown
  for file in job admission; do
    rm -rf results state owned
    mkdir results state
    folders_of $file.yaml
    NODE_NAME=node-1 run -0 dash own.sh
    [ "$(cat owned)" = "65532:65532 $PWD/results
65532:65532 $PWD/state" ]
    NODE_NAME=node-1 run -0 dash make.sh
    folder="$([ $file = job ] && echo 2026-11-22 || echo admission)/node-1"
    [ -d "results/$folder" ]
    # An earlier night's folder that the kubelet made as root's.
    rm owned
    NODE_NAME=node-1 run -0 dash own.sh
    [ "$(head -n 1 owned)" = "65532:65532 $PWD/results/$folder" ]
    [ "$(wc -l <owned)" = 4 ]
    # Root is squashed.
    printf '#!/bin/sh\necho "chown: $2: Operation not permitted" >&2\nexit 1\n' >bin/chown
    NODE_NAME=node-1 run -0 dash own.sh
    printf '#!/bin/sh\necho "$*" >>owned\n' >bin/chown
    NODE_NAME=node-1 run -0 dash make.sh
  done
  # What is not the user's to write to is named.
  rm -r results && : >results
  NODE_NAME=node-1 run -1 dash make.sh
  [[ $output == *"$PWD/results"* ]]
  rm results && mkdir results
  if [ "$EUID" != 0 ]; then
    chmod a-w state
    NODE_NAME=node-1 run -1 dash make.sh
    [[ $output == *"$PWD/state: user 65532 cannot write there"* ]]
  fi
}

@test "old nights are removed from the claim, and nothing else is" {
  manifests
  "$PYTHON" - <<'PY'
import os, yaml
command = yaml.safe_load(open("prune.yaml"))["spec"]["template"]["spec"]["containers"][0]["command"]
open("prune.sh", "w").write(command[2].replace("/results", os.getcwd() + "/results"))
PY
  mkdir -p results/2026-10-01/node-1 results/2026-11-21/node-1 results/admission/node-9 results/lost+found
  touch results/2026-10-01/node-1/a.json results/2026-11-21/node-1/b.json results/admission/node-9/c.json results/of-a-person.txt
  touch -d '40 days ago' results/2026-10-01 results/admission results/lost+found results/of-a-person.txt
  touch -d '20 days ago' results/2026-11-21
  run -0 sh prune.sh
  [[ $output == "./2026-10-01"$'\n'* ]]
  [ "$(cd results && echo *)" = "2026-11-21 admission lost+found of-a-person.txt" ]
  [ -e results/admission/node-9/c.json ] && [ -e results/2026-11-21/node-1/b.json ]
  # Where a night could not be removed, or the claim is not there, the job has failed.
  touch -d '40 days ago' results/2026-11-21
  printf '#!/bin/sh\necho "rm: $3: Read-only file system" >&2\nexit 1\n' >bin/rm && chmod +x bin/rm
  run -1 dash prune.sh
  /bin/rm bin/rm
  mv results gone
  run ! dash prune.sh
}

@test "the detector's configuration keeps its own rules" {
  "$PYTHON" - "$here/npd" <<'PY'
import json, re, sys
config = json.load(open(sys.argv[1] + "/gpugauge.json"))
seconds = lambda text: int(re.fullmatch(r"(\d+)s", text).group(1))
assert set(config) == {"plugin", "pluginConfig", "source", "metricsReporting", "conditions", "rules"}
assert config["plugin"] == "custom"
known = {"invoke_interval", "timeout", "max_output_length", "concurrency", "enable_message_change_based_condition_update"}
assert set(config["pluginConfig"]) == known
types = {condition["type"] for condition in config["conditions"]}
script = open(sys.argv[1] + "/check_gpugauge.sh").read()
longest = int(re.search(r"^longest=(\d+)$", script, re.M).group(1))
own = int(re.search(r"^seconds=(\d+)$", script, re.M).group(1))
assert longest <= config["pluginConfig"]["max_output_length"]
for rule in config["rules"]:
    assert set(rule) == {"type", "condition", "reason", "path", "timeout"}
    # A temporary rule would report every run that is not OK as an event of its own.
    assert rule["type"] == "permanent" and rule["condition"] in types
    assert rule["path"] == "/config/check_gpugauge.sh"   # where node-problem-detector.yaml mounts it
    assert own + 1 < seconds(rule["timeout"]) <= seconds(config["pluginConfig"]["timeout"])
    assert seconds(config["pluginConfig"]["timeout"]) < seconds(config["pluginConfig"]["invoke_interval"])
PY
}

@test "a verdict may be as old as two of a busy node are apart: a night, the wait for the node, the check" {
  "$here/jobs" --night n node-1=8 >job.yaml
  "$PYTHON" - "$here/npd" <<'PY'
import re, sys, yaml
spec = yaml.safe_load(open("job.yaml"))["spec"]
pods = [one for one in yaml.safe_load_all(open(sys.argv[1] + "/node-problem-detector.yaml")) if one["kind"] == "DaemonSet"]
env = {one["name"]: one.get("value") for one in pods[0]["spec"]["template"]["spec"]["containers"][0]["env"]}
hours = int(re.fullmatch(r"(\d+)h", env["GPUGAUGE_MAX_AGE"]).group(1))
apart = 86400 + spec["activeDeadlineSeconds"] + spec["template"]["spec"]["activeDeadlineSeconds"]
assert apart < hours * 3600 < apart + 2 * 3600, (apart / 3600, hours)
assert "${GPUGAUGE_MAX_AGE:-%dh}" % hours in open(sys.argv[1] + "/check_gpugauge.sh").read()
PY
}

@test "plugin: pass, problem and unknown are passed on with their line" {
  fake 'echo "pass: 8 devices, 3 h ago"'
  ask 0
  [ "$output" = "pass: 8 devices, 3 h ago" ]
  [ "$(cat calls)" = "status --device all --exit-style npd --max-age 50h --root /" ]
  fake 'echo "GPU-1: regressed: hbm_thermal (0.82)"; exit 1'
  ask 1
  [ "$output" = "GPU-1: regressed: hbm_thermal (0.82)" ]
  fake 'echo "no verdict is stored"; exit 2'
  ask 2
  [ "$output" = "no verdict is stored" ]
  fake 'exit 0'
  rm calls
  ask 2 GPUGAUGE_ROOT=/host GPUGAUGE_MAX_AGE=7d
  [ "$(cat calls)" = "status --device all --exit-style npd --max-age 7d --root /host" ]
}

@test "plugin: an exit code without a word is no verdict" {
  for code in 0 1; do
    fake "echo 'error while loading shared libraries' >&2; printf ' \\n\\t\\n'; exit $code"
    ask 2
    [[ $output == "unknown: gpugauge status ended with $code and said nothing" ]]
  done
  fake 'exit 2'
  ask 2
  [ "$output" = "unknown: gpugauge status could not tell" ]
}

@test "plugin: any other end is unknown" {
  for code in 3 4 77 126 127 255; do
    fake "echo regressed; exit $code"
    ask 2
    [ "$output" = "unknown: gpugauge status ended with $code" ]
  done
  fake 'echo problem; kill -9 $$'
  ask 2
  [[ $output == unknown:* ]]
}

@test "plugin: a command that hangs is ended and said, also one that ignores the signal" {
  fake 'echo "regressed: before it hung"; sleep 60; exit 1'
  ask 2
  [[ $output == "unknown: gpugauge status did not end within "*" s" ]]
  fake 'trap "" TERM; echo x; while :; do sleep 1; done'
  ask 2
  [[ $output == "unknown: gpugauge status did not end within "*" s" ]]
}

@test "plugin: garbage becomes one short line of plain characters" {
  fake 'printf "\n\n  \033[31mGPU\000-1\342\200\246: %s\nsecond line\n" "$(printf "x%.0s" 1 2 3)$(head -c 300 /dev/zero | tr "\\0" y)"; exit 1'
  ask 1
  [[ $output == "[31mGPU-1: xxxyyy"* ]]
  fake 'head -c 2000000 /dev/urandom; exit 1'
  ask 1
  fake 'yes problem | head -n 1000000; exit 1'
  ask 1
  [ "$output" = problem ]
}

@test "plugin: no command is unknown, not a problem" {
  ask 2 GPUGAUGE=/nowhere/gpugauge
  [ "$output" = "unknown: there is no /nowhere/gpugauge here" ]
  echo text >bin/not-a-program && chmod -x bin/not-a-program
  ask 2 GPUGAUGE="$PWD/bin/not-a-program"
}

# The scripts of the admission pod, as they are written but for the pod's /tmp: admission.sh, and ready.sh of its readiness probe.
admission_script() {
  mkdir -p pod
  "$PYTHON" - "$here/admission.yaml" <<'PY'
import os, sys, yaml
gauge = yaml.safe_load(open(sys.argv[1]))["spec"]["template"]["spec"]["containers"][0]
for name, command in (("admission.sh", gauge["command"]), ("ready.sh", gauge["readinessProbe"]["exec"]["command"])):
    assert command[:2] == ["/bin/sh", "-c"] and len(command) == 3
    open(name, "w").write(command[2].replace("/tmp/", os.getcwd() + "/pod/"))
PY
  printf '#!/bin/sh\necho "held" >>calls\nexec %s 60\n' "/bin/sleep" >bin/sleep
  chmod +x bin/sleep
}

wait_for() {
  for _ in $(seq 200); do
    if grep -q "$1" "$2" 2>/dev/null; then return 0; fi
    /bin/sleep 0.1
  done
  echo "never came: $1" >&2
  return 1
}

@test "admission: gauges where no verdict passes, holds whatever came out, and ends when it is told to" {
  admission_script
  fake '[ "$1" = check ] && exit 1; exit 3'
  dash admission.sh >out 2>&1 3>&- &
  pod=$!
  wait_for held calls
  cat calls
  [ "$(cat calls)" = "check --device all --profile standard --policy /etc/gpugauge/policy.json --quiet
held" ]
  grep -q "ended with 1; holding" out
  kill -TERM "$pod"
  wait "$pod"
}

@test "admission: a pass from before the node waited makes no pod ready; one of this pod is not measured again" {
  admission_script
  fake 'while [ "$1" = check ] && [ ! -e over ]; do /bin/sleep 0.1; done; exit 0'
  dash admission.sh >out 2>&1 3>&- &
  pod=$!
  wait_for check calls
  run -1 dash ready.sh
  [ "$output" = "its check has not ended" ]
  touch over
  wait_for held calls
  [ "$(grep -c '^check' calls)" = 1 ]
  run -0 dash ready.sh
  kill -TERM "$pod"
  wait "$pod"
  # The container alone is started again: /tmp is that of the pod.
  rm calls
  dash admission.sh >out 2>&1 3>&- &
  pod=$!
  wait_for held calls
  [ "$(grep -c '^check' calls)" = 0 ]
  run -0 dash ready.sh
  kill -TERM "$pod"
  wait "$pod"
  # After a restart of the node the pod stays and its verdict speaks no more: measured again, and not ready meanwhile.
  rm calls over
  fake 'while [ "$1" = check ] && [ ! -e over ]; do /bin/sleep 0.1; done; [ "$1" = check ]'
  dash admission.sh >out 2>&1 3>&- &
  pod=$!
  wait_for '^check' calls
  run -1 dash ready.sh
  [ "$output" = "its check has not ended" ]
  touch over
  wait_for held calls
  kill -TERM "$pod"
  wait "$pod"
}

@test "admission: a pod that is taken away passes the signal on to the check" {
  admission_script
  fake 'trap "echo told >>calls; exit 3" TERM; echo begun >>calls; while :; do /bin/sleep 0.1; done'
  dash admission.sh >out 2>&1 3>&- &
  pod=$!
  wait_for begun calls
  kill -TERM "$pod"
  wait "$pod"
  grep -q told calls
  [ ! -e pod/gauged ]
}
