# The command line itself: help, version, usage errors, lists.
load common

@test "--help shows the subcommands, examples and exit codes" {
  run -0 gpugauge --help
  for word in check run compare baseline list Examples 'Exit codes'; do [[ $output == *"$word"* ]]; done
  [[ $output != *probe* ]]
}

@test "every subcommand's help has examples of its own, whose words the command knows, and its exit codes" {
  run -0 gpugauge --help
  [[ $output == *"gpugauge check --device host"* ]]
  local command example own word looked=0 its_own
  for command in check run compare baseline status fleet 'fleet admit' history list doctor frameworks selftest diagnose explain codegen \
    upgrade; do
    # shellcheck disable=SC2086  # two words are a subcommand and its own
    run -0 gpugauge $command --help
    [[ $output == *'Exit codes'* ]] || { echo "$command names no exit code"; return 1; }
    its_own=0
    while read -r example; do
      looked=$((looked + 1))
      [[ "$example" != "gpugauge $command"* ]] || its_own=$((its_own + 1))
      own="$(awk '{ print $2 }' <<<"$example")"
      word="$(awk '{ print $3 }' <<<"$example")"
      run -0 gpugauge "$own" --help
      if grep -q "^  $word  " <<<"$output"; then own="$own $word"; fi
      # shellcheck disable=SC2086
      run -0 gpugauge $own --help
      while read -r word; do
        # Not in the examples themselves.
        sed '/^Examples:/,$d' <<<"$output" | grep -qE -- "(^|,| )$word([ =,]|$)" || { echo "$own knows no $word: $example"; return 1; }
      done < <(grep -oE -- ' --[a-z-]+' <<<"$example" | tr -d ' ')
    done < <(sed -n '/^Examples:/,/^$/p' <<<"$output" | grep -oE 'gpugauge [^;&]*' | sed 's/   .*//')
    ((its_own > 0)) || { echo "no example of $command"; return 1; }
  done
  ((looked >= 40))
}

@test "help keeps to the width of the terminal" {
  local command
  for command in "" check run "baseline create" fleet; do
    # shellcheck disable=SC2086  # two words are a subcommand and its own
    COLUMNS=80 run -0 gpugauge $command --help
    # Names of options, the line of usage and commands stand as they are; sentences do not reach over.
    ! grep -vE "^Usage|^  (-|gpugauge )|^gpugauge " <<<"$output" | grep -E "^.{81,}" || { echo "$command"; false; }
  done
  COLUMNS=80 run -0 gpugauge check --help
  [[ $output == *"  gpugauge check --device host --profile smoke"* ]]
}

@test "--version names version, commit and CUDA" {
  run -0 gpugauge --version
  [[ $output =~ ^gpugauge\ [0-9]+\.[0-9]+\.[0-9]+\ \(commit\ [0-9a-f]+(\+changes)?\) ]]
  [[ $output == *CUDA* ]]
}

@test "no subcommand, an unknown one and an unknown option end with 2 and a hint" {
  run -2 gpugauge
  run -2 gpugauge frobnicate
  [[ $output == *"gpugauge --help"* ]]
  run -2 gpugauge check --frobnicate
}

@test "unknown profile, family, pattern, device and report format are named, and what exists is listed" {
  run -2 gpugauge check --device host --profile hasty
  [[ $output == *hasty*smoke*standard* ]]
  run -2 gpugauge check --device host --family hots
  [[ $output == *"no family 'hots'; there are"*host* ]]
  run -2 gpugauge run --device host --only 'host/nothing*'
  [[ $output == *"'host/nothing*' selects no benchmark"* ]]
  run -2 gpugauge check --device card
  [[ $output == *"give all, links, host, an index or a UUID"* ]]
  run -2 gpugauge check --device host --report pdf=x
  [[ $output == *"no kind of report 'pdf'"* ]]
  run -2 gpugauge check --device host --baseline /nonexistent
  [[ $output == */nonexistent* ]]
  [ ! -e "$GPUGAUGE_STATE" ]
}

@test "list shows every host benchmark with what it isolates" {
  run -0 gpugauge list
  [[ $output == *host/triad/one_core* ]]
  run -0 gpugauge list --only 'host/*' --json
  echo "$output" | "$PYTHON" -c '
import json, sys
rows = json.load(sys.stdin)
assert len(rows) >= 10, len(rows)
assert all(row["isolates"] and row["bad_value"] for row in rows), rows'
  run -2 gpugauge list --only host/triad
  [[ $output == *"'host/triad' selects no benchmark; near to it: host/triad*; leave --only out"* ]]
  run -2 gpugauge list --only 'nothing*'
  [[ $output == *"'nothing*' selects no benchmark;"* ]]
}

# A command that measures in a fresh installation: with the host family and one that only describes itself.
with_deep_family() {
  export GPUGAUGE_LIBEXEC="$BATS_TEST_TMPDIR/libexec"
  mkdir -p "$GPUGAUGE_LIBEXEC"
  ln -s "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-host" "$GPUGAUGE_LIBEXEC/"
  cat >"$GPUGAUGE_LIBEXEC/gpugauge-bench-probe" <<'SH'
#!/bin/sh
cat <<'JSON'
{"schema": "gpugauge.definitions/1", "family": "probe", "definitions": [
  {"id": "probe/slow", "class": "host_cpu", "isolates": "x", "bad_value": "y", "window_share": 1,
   "ids": ["probe/slow/1", "probe/slow/2"], "depths": {"probe/slow/1": "standard", "probe/slow/2": "deep"},
   "requires": {"gpu": false}}]}
JSON
SH
  chmod +x "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
}

@test "list narrows by profile, class and family, and says how long the profile takes" {
  with_deep_family
  run -0 gpugauge list --only host
  [[ $output != *probe/slow* ]]
  run -0 gpugauge list --only host_cpu
  [[ $output == *host/clock_gettime* && $output == *probe/slow/2* && $output != *host/triad* ]]
  run -0 gpugauge list --profile standard
  [[ $output == *probe/slow/1*standard* && $output != *probe/slow/2* ]]
  [[ $output =~ "Profile standard: "[0-9]+" benchmarks of the host, about "[0-9]+" "(s|min) ]]
  run -0 gpugauge list --profile smoke --json
  echo "$output" | "$PYTHON" -c '
import json, sys
rows = json.load(sys.stdin)
assert rows and all(row["profile"] == "smoke" and row["family"] == "host" for row in rows), rows'
  run -2 gpugauge list --profile hasty
  [[ $output == *"no profile 'hasty'"* ]]
}

@test "a verdict of each profile is estimated to stay inside its budget, by processes, windows and starts" {
  for profile in smoke quick standard deep exhaustive; do gpugauge list --profile "$profile" --json >"$profile.json"; done
  "$PYTHON" - <<'PY'
import json
# Seconds that issue and documentation give a verdict; the host's windows are whole seconds.
budgets = {"gpu": {"smoke": 20, "quick": 60, "standard": 180, "deep": 900, "exhaustive": 1800},
           "links": {"smoke": 20, "quick": 60, "standard": 180, "deep": 900, "exhaustive": 1800},
           "host": {"smoke": 20, "quick": 75, "standard": 180, "deep": 180, "exhaustive": 180}}
processes = {"smoke": 1, "quick": 3, "standard": 5, "deep": 5, "exhaustive": 5}
# What is beside the round took 0.6 s of a quick check on an H200 (baselines/NVIDIA H200/check); cooling takes 1 s and more.
around, between = 3, 0.1
for profile, most in processes.items():
    rows = json.load(open(profile + ".json"))
    for kind, budget in budgets.items():
        mine = [row for row in rows if row["device"] == kind]
        seconds = around
        for family in sorted({row["family"] for row in mine}):
            own = [row for row in mine if row["family"] == family]
            starts = max(row["processes"] for row in own)
            seconds += starts * (own[0]["process_start_seconds"] + between)
            seconds += sum(row["processes"] * row["estimated_seconds"] for row in own)
        # Starts of processes differ from what is stated: the deepest verdict before an upgrade leaves some room.
        most_seconds = budget[profile] * (0.985 if (profile, kind) == ("deep", "gpu") else 1)
        assert seconds <= most_seconds, f"{profile} of {kind}: {seconds:.0f} s of {budget[profile]} s"
        print(f"{profile} of {kind}: {seconds:.0f} s of {budget[profile]} s, {len(mine)} benchmarks")
        for row in mine:
            assert 1 <= row["processes"] <= most, row
            assert row["window_seconds"] > 0, row
            # What older GPUs measure in the place of another benchmark takes no time beside that one.
            assert row["estimated_seconds"] == 0 if row["stands_in"] else row["estimated_seconds"] > row["window_seconds"], row
PY
}

@test "the limits of the recipes lie above the first rounds of eight GPUs and their links, and the budget of a check" {
  gpugauge check --help >help
  "$PYTHON" - "$GPUGAUGE_SOURCE" <<'PY'
import pathlib, re, sys
here = pathlib.Path(sys.argv[1])
found = lambda pattern, text: int(re.search(pattern, text).group(1))
standard = 60 * found(r"\| standard \| .* \| (\d+) min \|", (here / "docs/measuring.md").read_text())
run = 9 * standard
check = run + found(r"--budget SECONDS:POSITIVE=(\d+)", pathlib.Path("help").read_text())
gauge = (here / "scripts/slurm/gauge").read_text()
limits = {"gauge": (run, 60 * found(r'"run": (\d+)', gauge)), "gauge --check": (check, 60 * found(r'"check": (\d+)', gauge)),
          "nightly.yml": (check, 60 * found(r"timeout-minutes: (\d+)", (here / "scripts/github/nightly.yml").read_text())),
          "job.yaml": (check, found(r"\n      activeDeadlineSeconds: (\d+)", (here / "scripts/kubernetes/job.yaml").read_text()))}
for name, (least, limit) in limits.items():
    print(name, least, limit)
    assert limit >= 1.25 * least, name
PY
}

@test "what a deeper profile measures is refused by name, and the profile is named" {
  export WIDE=1
  with_deep_family
  run -2 gpugauge run --device host --profile standard --only 'probe/slow/2'
  [[ $output == *"'probe/slow/2' selects no benchmark of the host in the profile standard; the profile deep measures it"* ]]
  run -2 gpugauge check --device host --profile quick --family probe
  [[ $output == *"measures the host in the profile quick; the profile standard measures it"* ]]
  run -2 gpugauge baseline create --device host --profile smoke --only nothing
  [[ $output == *"'nothing' selects no benchmark of the host"* ]]
  run -2 gpugauge list --profile smoke --only 'probe/*'
  [[ $output == *"'probe/*' selects no benchmark; the profile standard measures it"* ]]
  [ ! -e "$GPUGAUGE_STATE" ]
}

@test "a time for sustained load is refused where nothing of it is chosen, and counts in the estimate where it is" {
  run -2 gpugauge run --device host --profile smoke --sustained 600
  [[ $output == *"none is chosen in the profile smoke"* ]]
  run -2 gpugauge check --device host --profile smoke --sustained 2
  [[ $output == *"--sustained"* ]]
  run -2 gpugauge list --sustained 600
  [[ $output == *"give --profile, too"* ]]
  with_deep_family
  sed -i 's/"window_share": 1/"window_share": 1, "sustained": true/' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  gpugauge list --profile deep --json --only 'probe/*' >usual.json
  gpugauge list --profile deep --json --only 'probe/*' --sustained 600 >longer.json
  "$PYTHON" -c '
import json
usual, longer = (json.load(open(name))[0] for name in ("usual.json", "longer.json"))
assert usual["window_seconds"] == 1 and longer["window_seconds"] == 600, (usual, longer)
assert longer["processes"] == 1 and abs(longer["estimated_seconds"] - usual["estimated_seconds"] - 599) < 1e-6, (usual, longer)'
}

@test "the long screens of integrity take a time of sustained load, the short ones do not" {
  [ -x "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-integrity" ] || skip "this build has no CUDA families"
  gpugauge list --profile deep --json --only 'integrity/*' --sustained 600 >longer.json
  "$PYTHON" -c '
import json
rows = json.load(open("longer.json"))
windows = {row["id"]: row["window_seconds"] for row in rows}
assert sorted(windows) == [f"integrity/{op}/{time}" for op in ("fft", "gemm", "memory", "sort") for time in ("long", "short")], windows
for name, window in windows.items():
    assert window == 600 if name.endswith("/long") else window < 1, windows'
}

@test "a family that names a profile which does not exist is said, and the rest is listed" {
  with_deep_family
  sed -i 's/"deep"/"deeper"/' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  run -0 gpugauge list
  [[ $output == *"family probe: "*"'deeper'"* && $output == *host/triad* && $output != *probe/slow* ]]
}

@test "on a narrow terminal sentences of a list are wrapped and none is cut" {
  COLUMNS=80 run -0 gpugauge list --only 'host/*'
  [[ $output == *"Latency of one load that depends on the one before, in each cache level."* ]]
  [[ $output != *..* ]]
  run -0 gpugauge explain --list
  [[ $output == *"acs_enabled "*"both "*PCIe* ]]
  COLUMNS=80 run -0 gpugauge explain --list
  [[ $output != *..* ]]
  for line in "${lines[@]}"; do ((${#line} <= 80)) || { echo "$line"; return 1; }; done
}

@test "each part of an upgrade names the exit codes that docs/exit-codes.md gives it" {
  run -0 gpugauge upgrade begin --help
  [[ $output == *"Exit codes: 0 the old stack is measured; 1 the plan does not work"* && $output != *strict* ]]
  run -0 gpugauge upgrade end --help
  [[ $output == *"3 cannot judge, also where nothing changed"*"4 inconclusive"* ]]
  run -0 gpugauge upgrade status --help
  [[ $output == *"Exit codes: 0 an upgrade is open; "*"3 none is."* ]]
  run -0 gpugauge upgrade plan --help
  [[ $output == *"1 a node cannot"* ]]
}

@test "list devices always shows the host" {
  run -0 gpugauge list devices
  [[ $output == *host* ]]
}

@test "check without a usable GPU says what is missing and ends with 3" {
  if has_gpu; then skip "this machine has a usable GPU"; fi
  run -3 gpugauge check
  [[ $output == *"cannot judge: no usable GPU"* ]]
  run -3 gpugauge run
  [[ $output == *"no usable GPU: "* ]]
  run -3 gpugauge baseline create
}

@test "standard output that is closed or full ends with 2 and a sentence" {
  run -2 bash -c 'gpugauge list >&-'
  [[ $output == *"standard output could not be written"* ]]
  run -2 bash -c 'gpugauge list >/dev/full'
  [[ $output == *"standard output could not be written"* ]]
}

@test "without HOME and XDG_STATE_HOME the state directory is asked for" {
  run -2 env -u GPUGAUGE_STATE -u HOME -u XDG_STATE_HOME gpugauge run --device host --profile smoke
  [[ $output == *--state-dir* ]]
}

@test "a word that is no subcommand and an option that is none are named, with what is near" {
  run -2 gpugauge chekc
  [[ $output == *"gpugauge has no subcommand chekc; near to it: check"* ]]
  run -2 gpugauge baseline creat
  [[ $output == *"gpugauge baseline has no subcommand creat; near to it: create"* ]]
  run -2 gpugauge xyzzy
  [[ $output == *"gpugauge has no subcommand xyzzy; there are: check, run, "* && $output != *probe* ]]
  run -2 gpugauge --helpp
  [[ $output == *"gpugauge has no option --helpp"* ]]
  run -2 gpugauge check --devise host
  [[ $output == *"gpugauge check has no option --devise; near to it: --device; see \`gpugauge check --help\`" ]]
  run -2 gpugauge check --xyzzy host
  [[ $output == *": --xyzzy host; see \`gpugauge check --help\`" ]]
}

@test "seconds are finite numbers, and what is none is said in a line" {
  for option in --wait --process-limit --budget; do
    for value in nan inf -1; do
      run -2 gpugauge check --device host --profile smoke "$option" "$value"
      [[ $output == *"$option"*"$value is no "* && ${#lines[0]} -lt 100 ]]
    done
  done
  run -2 gpugauge check --device host --process-limit 0
  [[ $output == *"0 is no number above 0"* ]]
}

@test "two outputs that are one file are refused before anything is measured" {
  run -2 gpugauge check --device host --profile smoke --report json=o.json --observation ./o.json
  [[ $output == *"o.json"*"named for two outputs"* ]]
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 9 1 >planted.txt
  run -2 gpugauge fleet fleet --report json=f.json --emit-retest f.json
  [[ $output == *"f.json is named for two outputs"* ]]
  [ ! -e f.json ] && [ ! -e o.json ]
}

@test "where runs cannot be kept nothing is measured" {
  printf 'a file\n' >place
  run -2 gpugauge baseline create --device host --profile smoke --state-dir place/state
  [[ $output == *"runs cannot be kept in place/state/runs: "*"nothing was measured; name a state directory that is yours with --state-dir"* ]]
}

@test "a wrong value is one sentence in the words of this project" {
  while IFS='|' read -r line sentence; do
    # shellcheck disable=SC2086 # words
    run gpugauge $line
    [ "$status" -eq 2 ]
    [[ $output =~ ^"gpugauge: $sentence; see \`gpugauge "[a-z\ ]*"--help\`"$ ]] || { echo "$output"; false; }
  done <<'LINES'
run --seed abc|--seed: 'abc' is no whole number from 0 to 18446744073709551615
run --seed -1|--seed: '-1' is no whole number from 0 to 18446744073709551615
run --seed 99999999999999999999999|--seed: '99999999999999999999999' is no whole number from 0 to 18446744073709551615
run --seed 1 --seed 2|--seed: 2 given, and it takes 1 at most
run --process-limit abc|--process-limit: 'abc' is no number that it takes
check --sustained 1|--sustained: '1' is no number from 3 to 3600
check extra words|this was not expected: extra words
completion tcsh|shell: there is no 'tcsh'; there are bash, zsh, fish
doctor diff a.json|files: 1 given, and it takes 2 or more
baseline|no subcommand is given
LINES
}

@test "help and version that cannot be written end with 2" {
  for words in --help --version "run --help"; do
    # shellcheck disable=SC2086 # words
    run bash -c '"$@" 2>&1 >/dev/full' - gpugauge $words
    [ "$status" -eq 2 ]
    [[ $output == "gpugauge: standard output could not be written: "* ]]
  done
}

@test "an option whose value is empty, as a variable that is not set leaves it, is refused and never taken for none" {
  local line
  for line in "check --device host --policy" "compare --baseline" "run --output" "history changes --store" "doctor --inventory" "status --state-dir"; do
    # shellcheck disable=SC2086 # words of the line
    run -2 gpugauge $line ''
    [[ $output == *"${line##* } was given an empty value; is a variable not set?"* ]]
    # shellcheck disable=SC2086
    run -2 gpugauge $line=
  done
}

@test "an option that is needed is not said to be left out; an observation is no inventory" {
  run -2 gpugauge upgrade close --reason ''
  [[ $output == *"--reason was given an empty value; is a variable not set? It needs one"* ]]
  echo '{"schema": "gpugauge.observation/1", "inventory": {}}' >seen.json
  run -2 gpugauge doctor --inventory seen.json
  [[ $output == *"seen.json is an observation, which \`gpugauge diagnose\` reads"* ]]
}
