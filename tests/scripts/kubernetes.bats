#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154  # what stands in single quotes is expanded by the programs made of it; $stderr is set by run
# scripts/kubernetes: manifests against the schemas of Kubernetes, and what scripts/kubernetes/jobs makes. No cluster is asked. What runs in
# the pods: kubernetes_pods.bats.
load kubernetes_fakes

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

@test "manifests that cannot be written, or made, end with 2: a 1 would say that a node offers too few GPUs" {
  cp -r "$here" own
  rm own/{job,fleet,prune}.yaml
  for words in node-1=8 node-1=7/8 --fleet "--admit node-1" "--prune 30"; do
    read -ra arguments <<<"$words"
    run -2 bash -c '"$0" "$@" >/dev/full' "$here/jobs" "${arguments[@]}"
    [[ $output == *"jobs: the manifests could not be written." ]]
    run -2 --separate-stderr own/jobs "${arguments[@]}"
    [ -z "$output" ]
  done
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
