# shellcheck shell=bash disable=SC2034,SC2154  # the tests use them; status and output are bats's
# What the tests of scripts/kubernetes share: the manifests, the schemas, and a gpugauge that is a script.
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
