#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154  # what stands in single quotes is expanded by the programs made of it; $stderr is set by run
# scripts/kubernetes: manifests against the schemas of Kubernetes, the plugin of node-problem-detector as that starts it, the
# script of the admission pod as it is written. No cluster is asked.
bats_require_minimum_version 1.5.0

setup() {
  here="$GPUGAUGE_SOURCE/scripts/kubernetes"
  linters="${GPUGAUGE_LINTERS:-$GPUGAUGE_SOURCE/.venv/linters/bin}"
  # It can read YAML.
  PYTHON="$linters/python"
  if [ ! -x "$linters/kubernetes-validate" ]; then skip "kubernetes-validate is not installed: scripts/setup --for test installs it"; fi
  cd "$BATS_TEST_TMPDIR" || exit
  mkdir bin
  PATH="$PWD/bin:$PATH"
}

# valid FILE...: against the oldest and the newest Kubernetes that the page names, unknown fields refused.
valid() {
  local version
  for version in 1.31 1.37; do
    "$linters/kubernetes-validate" --strict --quiet -k "$version" "$@" || return 1
  done
}

manifests() {
  "$here/jobs" --night 2026-11-22 node-1.example=8 node-2=4 >jobs.yaml
  "$here/jobs" --night 2026-11-22 --fleet >fleet.yaml
  "$here/jobs" --night 2026-11-22 --admit node-5 node-11.example >admit.yaml
  "$here/jobs" --night 2026-11-22 --prune 30 >prune.yaml
  cp "$here"/{namespace,results,admission}.yaml "$here/npd/node-problem-detector.yaml" .
}

# A gpugauge that does what "$1" says, a piece of shell.
fake() {
  printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>calls\n%s\n' "$1" >bin/gpugauge
  chmod +x bin/gpugauge
}

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

@test "every manifest holds against the schemas of Kubernetes 1.31 and 1.37" {
  manifests
  valid jobs.yaml fleet.yaml admit.yaml prune.yaml namespace.yaml results.yaml admission.yaml node-problem-detector.yaml
}

@test "a field that Kubernetes does not know, or a value of another type, is found" {
  manifests
  valid namespace.yaml
  sed 's/backoffLimit: 2/backoffLimits: 2/' jobs.yaml >wrong.yaml
  run ! valid wrong.yaml
  [[ $output == *backoffLimits* ]]
  sed 's/readOnlyRootFilesystem/readonlyRootFilesystem/' admission.yaml >wrong.yaml
  run ! valid wrong.yaml
  [[ $output == *readonlyRootFilesystem* ]]
  sed 's/values: \[1, 2, 3, 4\]/values: [one]/' jobs.yaml >wrong.yaml
  run ! valid wrong.yaml
}

@test "pods ask for no more than they need" {
  manifests
  run -0 "$PYTHON" - jobs.yaml fleet.yaml admit.yaml prune.yaml admission.yaml node-problem-detector.yaml <<'PY'
import sys, yaml
pods = 0
for file in sys.argv[1:]:
    for one in yaml.safe_load_all(open(file)):
        if one["kind"] not in ("Job", "DaemonSet"):
            continue
        pods += 1
        pod = one["spec"]["template"]["spec"]
        talks = pod.get("serviceAccountName") == "gpugauge-npd"
        assert pod.get("automountServiceAccountToken") is False or talks, file
        assert not any(pod.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")), file
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] > 0, file
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault", file
        for container in pod.get("initContainers", []) + pod["containers"]:
            name, own = container["name"], container["securityContext"]
            assert own["allowPrivilegeEscalation"] is False and own["readOnlyRootFilesystem"] is True, name
            assert own["capabilities"]["drop"] == ["ALL"] and not own.get("privileged"), name
            assert own["capabilities"].get("add", []) == (["CHOWN"] if name == "own-the-folders" else []), name
            assert (own.get("runAsUser") == 0) == (name == "own-the-folders"), name
            # The image is not asked which GPUs it wants: who asks Kubernetes for none gets none, and starts without a driver.
            asked = container["resources"]
            hidden = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"} in container.get("env", [])
            assert hidden == (name not in ("gauge", "node-problem-detector")), name
            # What a container may see of the host is its state, and SELinux lets only one type there.
            host = [volume for volume in pod["volumes"] if "hostPath" in volume]
            assert [volume["hostPath"]["path"] for volume in host] in ([], ["/var/lib/gpugauge"]), file
            assert (pod["securityContext"].get("seLinuxOptions") == {"type": "spc_t"}) == bool(host), file
            assert asked["requests"]["cpu"] and asked["limits"]["memory"], name
            gpu = "nvidia.com/gpu"
            assert (gpu in asked["limits"]) == (name == "gauge"), name
            assert asked["limits"].get(gpu) == asked["requests"].get(gpu), name
            mounts = {mount["name"] for mount in container.get("volumeMounts", [])}
            assert mounts <= {volume["name"] for volume in pod["volumes"]}, name
            if any("subPathExpr" in mount for mount in container.get("volumeMounts", [])) or "$NODE_NAME" in str(container["command"]):
                assert "NODE_NAME" in {variable["name"] for variable in container["env"]}, name
print(pods)
PY
  [ "$output" = 8 ]
}

@test "a job has a node, all its GPUs, its limits, and honours the exit code" {
  run -0 "$here/jobs" --night 2026-11-22 --image registry.example/gpugauge@sha256:0123 --profile quick gpu-7.rack-2=4
  printf '%s\n' "$output" >job.yaml
  "$PYTHON" - <<'PY'
import yaml
job = yaml.safe_load(open("job.yaml"))
assert job["metadata"]["name"] == "gpugauge-2026-11-22-gpu-7-rack-2"
spec = job["spec"]
assert spec["activeDeadlineSeconds"] > spec["template"]["spec"]["activeDeadlineSeconds"] > 0
rules = spec["podFailurePolicy"]["rules"]
assert rules[0]["action"] == "Ignore" and rules[0]["onPodConditions"][0]["type"] == "DisruptionTarget"
assert rules[1]["action"] == "FailJob" and rules[1]["onExitCodes"]["values"] == [1, 2, 3, 4]
pod = spec["template"]["spec"]
assert pod["restartPolicy"] == "Never"   # what a podFailurePolicy needs
term = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
assert term == [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-7.rack-2"]}]}]
gauge = pod["containers"][0]
assert gauge["name"] == rules[1]["onExitCodes"]["containerName"]
assert gauge["image"] == pod["initContainers"][0]["image"] == "registry.example/gpugauge@sha256:0123"
assert gauge["command"] == ["gpugauge", "check", "--device", "all", "--profile", "quick", "--policy", "/etc/gpugauge/policy.json", "--quiet"]
assert gauge["resources"]["limits"]["nvidia.com/gpu"] == "4"
runs = [mount for mount in gauge["volumeMounts"] if mount["name"] == "results"][0]
assert runs["mountPath"] == "/var/lib/gpugauge/runs" and runs["subPathExpr"] == "2026-11-22/$(NODE_NAME)"
PY
}

@test "no word of a template is left, and each node has a job of its own" {
  manifests
  run ! grep -nwE 'NAME|NODE|NIGHT|GPUS|EXPECT|PROFILE|IMAGE|VERB|WORDS' jobs.yaml fleet.yaml admit.yaml prune.yaml
  long="$(printf 'a%.0s' {1..60})"
  "$here/jobs" --night n "$long-1=8" "$long-2=8" >long.yaml
  "$PYTHON" - <<'PY'
import yaml
names = [job["metadata"]["name"] for job in yaml.safe_load_all(open("long.yaml"))]
assert len(names) == len(set(names)) == 2 and all(len(name) <= 63 for name in names), names
PY
}

@test "only jobs --cordoned goes to a node that is cordoned; a node that waits to be admitted is gauged" {
  "$here/jobs" --night n node-1=8 >plain.yaml
  "$here/jobs" --night n --cordoned node-1=8 >cordoned.yaml
  valid plain.yaml cordoned.yaml
  "$PYTHON" - <<'PY'
import yaml
def tolerated(file):
    return [one["key"] for one in yaml.safe_load(open(file))["spec"]["template"]["spec"]["tolerations"]]
assert tolerated("plain.yaml") == ["nvidia.com/gpu", "gpugauge-admission"]
assert tolerated("cordoned.yaml") == ["nvidia.com/gpu", "gpugauge-admission", "node.kubernetes.io/unschedulable"]
PY
  run ! grep -n CORDONED plain.yaml cordoned.yaml
}

@test "nodes as kubectl prints them; one without GPUs is named and gets no job" {
  for end in '\n' ''; do
    printf 'node-1   8\n\nnode-3   2%b' "$end" >nodes
    run -0 --separate-stderr bash -c '"$0" - <nodes' "$here/jobs"
    [ "$(grep -c '^kind: Job' <<<"$output")" = 2 ]
    [ -z "$stderr" ]
    printf 'node-1   8\nnode-2   <none>\n\nnode-3   2%b' "$end" >nodes
    run -1 --separate-stderr bash -c '"$0" - <nodes' "$here/jobs"
    [ "$(grep -c '^kind: Job' <<<"$output")" = 2 ]
    [[ $stderr == *"node-2 offers no GPU to Kubernetes and gets no job"* ]]
  done
  run -1 --separate-stderr bash -c 'echo "node-2 0 8" | "$0" -' "$here/jobs"
  [ -z "$output" ]
  [[ $stderr == *"node-2 offers no GPU to Kubernetes, of the 8 that it has, and gets no job"* ]]
}

# policies_of FILE: of each job what it asks for and its policy as the container finds it, which is a valid one.
policies_of() {
  "$PYTHON" - "$1" <<'PY' >policies
import sys, yaml
for one in yaml.safe_load_all(open(sys.argv[1])):
    spec = one["spec"]["template"]
    gauge = spec["spec"]["containers"][0]
    text = yaml.safe_dump(gauge["command"])
    assert "/etc/gpugauge/policy.json" in text
    mount, = [mount for mount in gauge["volumeMounts"] if mount["mountPath"] == "/etc/gpugauge"]
    volume, = [volume for volume in spec["spec"]["volumes"] if volume["name"] == mount["name"]]
    item, = volume["downwardAPI"]["items"]
    assert item["path"] == "policy.json" and item["fieldRef"]["fieldPath"] == "metadata.annotations['gpugauge-policy']"
    print(gauge["resources"]["limits"]["nvidia.com/gpu"], spec["metadata"]["annotations"]["gpugauge-policy"])
PY
  cat policies
  cut -d ' ' -f 2- policies | while IFS= read -r policy; do
    printf '%s\n' "$policy" >policy.json
    "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" policy policy.json || return 1
  done
}

@test "the check expects what the node has: a GPU that the device plugin gave up is named, and fails the node" {
  printf 'node-1 8 8\nnode-2 7 8\n' >nodes
  run -1 --separate-stderr bash -c '"$0" - <nodes' "$here/jobs"
  [ "$stderr" = "jobs: node-2 offers 7 of its 8 GPUs to Kubernetes: its device plugin has given up the others." ]
  printf '%s\n' "$output" >jobs.yaml
  valid jobs.yaml
  run -0 policies_of jobs.yaml
  [ "$(grep -c '^[78] {"schema": "gpugauge.policy/1", "expect": {"gpus": 8}}$' policies)" = 2 ]
  "$here/jobs" --expect none node-1=56 >jobs.yaml
  run -0 policies_of jobs.yaml
  [ "$(cat policies)" = '56 {"schema": "gpugauge.policy/1"}' ]
  "$here/jobs" --expect 8 node-1=32 >jobs.yaml
  run -0 policies_of jobs.yaml
  [ "$(cat policies)" = '32 {"schema": "gpugauge.policy/1", "expect": {"gpus": 8}}' ]
  run -1 "$here/jobs" node-2=7/8
  run -0 policies_of "$here/admission.yaml"
  [ "$(cat policies)" = '8 {"schema": "gpugauge.policy/1", "expect": {"gpus": 8}}' ]
}

@test "a line of nonsense prints no manifest at all" {
  for words in "node-1" "node-1=" "node-1=0" "node-1=x" "Node=8" "-x=8" "a b=8" "--night" "--night Ä node=8" "--night a/b node=8" \
    "--image a|b node=8" "--profile ../x node=8" "--fleet node=8" "" "--frobnicate" "a.b=8 a-b=8" \
    "--admit" "--admit node=8" "--admit Node" "--admit a.b a-b" "--admit --fleet" "--fleet --admit node" "--prune" "--prune x" "--prune 0" "--prune 30 node" "--prune 30 --fleet" "--fleet --prune 30" "--cordoned" "--cordoned --fleet" "--cordoned --admit node" \
    "--expect 0 node=8" "--expect x node=8" "--expect 8 --fleet" "node=8/7" "node=8/" "node=8/8/8"; do
    read -ra arguments <<<"$words"
    run -2 --separate-stderr "$here/jobs" "${arguments[@]}"
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" = 1 ]
  done
  for words in "node 8 more" "node 8 8 more" "node 8 7"; do run -2 bash -c 'echo "$1" | "$0" -' "$here/jobs" "$words"; done
}

# asked_of FILE NAME: what the container of that job is asked, on results/ in the place of the claim.
asked_of() {
  "$PYTHON" - "$1" "$2" "$GPUGAUGE_BUILD/bin/gpugauge" <<'PY' >command.sh
import shlex, sys, yaml
job, = [one for one in yaml.safe_load_all(open(sys.argv[1])) if one["metadata"]["name"] == sys.argv[2]]
words = job["spec"]["template"]["spec"]["containers"][0]["command"]
assert words[0] == "gpugauge"
print(shlex.join([sys.argv[3]] + [word.replace("/results/", "results/") for word in words[1:]]))
PY
  sh command.sh
}

@test "a node that waits is compared with the nodes of the night, and not with others that wait" {
  "$GPUGAUGE_BUILD/bin/make_fleet" made 12 2 >/dev/null
  mkdir -p results/2026-11-22 results/admission/node-5 results/admission/node-11.example
  for number in 00 01 02 03 04 06 07 08 09 10; do
    mkdir "results/2026-11-22/node-$number"
    cp "made/node-000$number/round-1.json" "results/2026-11-22/node-$number"
  done
  # The sixth is 8% slower.
  cp made/node-00005/round-1.json results/admission/node-5
  cp made/node-00011/round-1.json results/admission/node-11.example
  manifests
  run -0 asked_of admit.yaml gpugauge-2026-11-22-admit-node-11-example
  [[ $output == *"compared with 10 nodes"*"admit: 1 admitted"* ]]
  run -3 asked_of admit.yaml gpugauge-2026-11-22-admit-node-5
  [[ $output == *"compared with 10 nodes"*"cannot judge: 1 to be measured again"* ]]
  cp made/node-00005/round-2.json results/admission/node-5
  run -1 asked_of admit.yaml gpugauge-2026-11-22-admit-node-5
  [[ $output == *"confirmed by a further run"*"regressed: 1 refused"* ]]
  run -0 asked_of fleet.yaml gpugauge-2026-11-22-fleet
  [[ $output == *"pass: 10 of 10 nodes"* ]]
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
  [ "$(ls results | tr '\n' ' ')" = "2026-11-21 admission lost+found of-a-person.txt " ]
  [ -e results/admission/node-9/c.json ] && [ -e results/2026-11-21/node-1/b.json ]
}

@test "what kubectl makes of the kustomizations holds against the schemas, with the plugin in it" {
  command -v kubectl >/dev/null || skip "no kubectl"
  kubectl kustomize "$here" >all.yaml
  kubectl kustomize "$here/npd" >npd.yaml
  valid all.yaml npd.yaml
  "$PYTHON" - "$here" <<'PY'
import sys, yaml
npd = {one["kind"]: one for one in yaml.safe_load_all(open("npd.yaml"))}
data = npd["ConfigMap"]["data"]
for name in ("gpugauge.json", "check_gpugauge.sh"):
    assert data[name] == open(f"{sys.argv[1]}/npd/{name}").read()
volumes = npd["DaemonSet"]["spec"]["template"]["spec"]["volumes"]
assert [v for v in volumes if v["name"] == "config"][0]["configMap"]["name"] == npd["ConfigMap"]["metadata"]["name"]
PY
}

@test "kustomizations name files that are there" {
  run -0 "$PYTHON" - "$here" <<'PY'
import pathlib, sys, yaml
here, count = pathlib.Path(sys.argv[1]), 0
for file in (here / "kustomization.yaml", here / "npd/kustomization.yaml"):
    made = yaml.safe_load(file.read_text())
    names = made["resources"] + [name for one in made.get("configMapGenerator", []) for name in one["files"]]
    for name in names:
        assert (file.parent / name).is_file(), name
        count += 1
print(count)
PY
  [ "$output" = 6 ]
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
