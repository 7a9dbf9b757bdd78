# shellcheck disable=SC2016  # what stands in single quotes is expanded by the programs made of it
# The commands of docs/tasks/kubernetes.md, as they are written. kubectl and podman stand in: they say what they were asked for.
load common
load pages

@test "the page's commands run: what kubectl is given exists and is what it is called" {
  mkdir bin
  cat >bin/kubectl <<'TEXT'
#!/bin/sh
echo "kubectl $*" >>calls
previous=
for word; do
  case "$previous" in
    -f) [ "$word" = -l ] || [ -s "$word" ] || exit 1 ;;
    -k) [ -s "$word/kustomization.yaml" ] || exit 1 ;;
  esac
  previous="$word"
done
case "$*" in
  *"get nodes"*NODE*GPUS:.status.allocatable*HAS:.status.capacity*) printf 'node-1   8   8\nnode-2   4   4\n' ;;
  *"get jobs"*NIGHT:.metadata.labels.gpugauge-night*) printf '2026-11-21\n2026-11-22\n' ;;
esac
TEXT
  printf '#!/bin/sh\necho "podman $*" >>calls\ntest -s "$3"\n' >bin/podman
  printf '#!/bin/sh\necho "skopeo $*" >>calls\necho sha256:0123\n' >bin/skopeo
  chmod +x bin/kubectl bin/podman bin/skopeo
  PATH="$PWD/bin:$PATH"
  ln -s "$GPUGAUGE_SOURCE/scripts" scripts
  git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m x
  page_commands "$GPUGAUGE_SOURCE/docs/tasks/kubernetes.md" >commands
  [ "$(wc -l <commands)" -ge 33 ]
  run -0 page_run <commands
  echo "$output"
  [ "$(grep -c '^\[0\]$' <<<"$output")" = "$(wc -l <commands)" ]
  [ "$(grep -c '^kind: Job' jobs.yaml)" = 2 ]
  grep -q 'command: \[gpugauge, fleet' fleet.yaml
  [ "$(grep -o '"expect": {"gpus": [0-9]*}' jobs.yaml | tr '\n' ' ')" = '"expect": {"gpus": 8} "expect": {"gpus": 4} ' ]
  # The image that the page has the reader name, and one night, in every job.
  for file in jobs fleet prune again repaired admit; do
    grep -q '^ *image: registry.example/gpugauge@sha256:0' $file.yaml
    [ "$(grep '^ *image:' $file.yaml | grep -vc '@sha256:')" = 0 ]
    [[ $file == admit || $file == prune ]] || [ "$(grep '^ *gpugauge-night: ' $file.yaml | sort -u)" = "$(grep '^ *gpugauge-night: ' jobs.yaml | sort -u)" ]
  done
  # Who is measured again has one job, whose name was deleted before; a new node is held against the newest night.
  [ "$(grep -c '^kind: Job' again.yaml)" = 1 ]
  [ "$(grep -c 'key: node.kubernetes.io/unschedulable' repaired.yaml)" = 1 ]
  [ "$(grep 'again.yaml' calls | cut -d ' ' -f 2 | tr '\n' ' ')" = "delete apply " ]
  grep -q 'command: \[gpugauge, fleet, admit, "/results/admission/node-9", --against, "/results/2026-11-22"\]' admit.yaml
  # The base's digest is asked of the tag that the Containerfile names, and handed to it.
  tag="$(sed -n 's/^ARG BASE=\(..*\)/\1/p' scripts/container/Containerfile)"
  grep -q "^skopeo inspect .* docker://docker.io/library/$tag$" calls
  grep -q -- '--build-arg BASE=docker.io/library/debian@sha256:0123 ' calls
}

@test "the page, the manifests and the image name one version, taint, folder and user" {
  cd "$GPUGAUGE_SOURCE"
  version=$(sed -n 's/^project(gpugauge VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  [ -n "$version" ]
  [ "$(grep -rhoE 'gpugauge:[0-9][0-9.]*[0-9]' scripts/kubernetes scripts/container docs/tasks/kubernetes.md | sort -u)" = "gpugauge:$version" ]
  grep -q "org.opencontainers.image.version=\"$version\"" scripts/container/Containerfile
  grep -q '^USER 65532:65532$' scripts/container/Containerfile
  for file in job admission fleet prune npd/node-problem-detector; do grep -q 'runAsUser: 65532' "scripts/kubernetes/$file.yaml"; done
  grep -q 'GPUGAUGE_STATE=/var/lib/gpugauge' scripts/container/Containerfile
  [ "$(grep -c 'register-with-taints=gpugauge-admission=waiting:NoSchedule' docs/tasks/kubernetes.md)" = 1 ]
  # Who must tolerate the taint: both lists of the operator's chart.
  [ "$(grep -c '^ *- {key: gpugauge-admission, operator: Exists, effect: NoSchedule}$' docs/tasks/kubernetes.md)" = 2 ]
  # The label that nodes are chosen by, and the line that sets it where no operator does.
  [ "$(grep -c '^kubectl label .* nvidia.com/gpu.present=true$' docs/tasks/kubernetes.md)" = 1 ]
  grep -q 'nvidia.com/gpu.present: "true"' scripts/kubernetes/npd/node-problem-detector.yaml
  grep -q '{key: gpugauge-admission, operator: Equal, value: waiting, effect: NoSchedule}' scripts/kubernetes/admission.yaml
}
