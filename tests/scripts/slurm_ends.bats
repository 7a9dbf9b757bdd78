# shellcheck disable=SC2154,SC2016  # slurm comes from slurm_fakes; what stands in single quotes is for other shells
# How gauge and bisect of scripts/slurm end when something breaks: with 2 and one sentence, and never with the 1 of what was found.
load slurm_fakes

# A command whose comparison says what it is told to, $FLEET_SAYS and $FLEET_ENDS, asks for a second run of node1, and takes its time for that.
made_command() {
  cat >bin/gpugauge <<'TEXT'
#!/bin/sh
if [ "$1" = fleet ]; then
  [ -z "$FLEET_FAILS" ] || [ ! -e made_compared ] || { echo "compared, and a report could not be written"; exit "$FLEET_FAILS"; }
  for word; do
    case "$previous$word" in
      --emit-retest*) printf 'node1\t0\n' >"$word" ;;
      --reportjson=*) printf '%s\n' "$FLEET_SAYS" >"${word#json=}" ;;
    esac
    previous=
    case "$word" in --emit-retest | --report) previous=$word ;; esac
  done
  echo compared
  touch made_compared
  exit "${FLEET_ENDS:-0}"
fi
echo "$SLURMD_NODENAME" >>measured
[ "$(grep -c node1 measured)" != 2 ] || [ -z "$SECOND_SLEEPS" ] || { touch second; sleep 60; }
mkdir -p "$GPUGAUGE_STATE/runs" && echo "{}" >"$GPUGAUGE_STATE/runs/$$.json"
TEXT
  export FLEET_SAYS="${FLEET_SAYS:-$nothing}"
}
nothing='{"nodes": []}'
found='{"nodes": [{"node": "node1", "state": "found", "device": "GPU-1", "reason": "", "verdicts": [{"metric": "m", "verdict": "regressed", "reason": "slow"}]}]}'
inside=(env SLURM_JOB_ID=7 "SLURM_JOB_NODELIST=node[1-2]")

# A folder of programs without Slurm's own, which this machine may have.
no_slurm_but_these() {
  mkdir tools
  for name in env sh bash; do ln -s "$(command -v "$name")" tools/; done
  ln -s "$(python3 -c 'import sys; print(sys.executable)')" tools/python3
  inside+=("PATH=$PWD/bin:$PWD/tools")
}

one_sentence() {
  echo "$output"
  [[ $output != *Traceback* && $output == *"$1"* ]]
}

@test "without srun gauge and bisect end with 2 and say so" {
  made_command
  no_slurm_but_these
  rm bin/srun
  run -2 "${inside[@]}" "$slurm/gauge" --output out
  one_sentence "gauge: srun could not be started: No such file or directory; this runs where Slurm's commands are"
  run -2 "${inside[@]}" "$slurm/bisect" --bench "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" --gpus-per-node 1 --output out
  one_sentence "bisect: srun could not be started"
}

@test "a folder that cannot be made ends with 2 and the sentence that names it" {
  made_command
  run -2 "${inside[@]}" "$slurm/gauge" --output /proc/nope
  one_sentence "gauge: /proc/nope/runs could not be made: No such file or directory"
  run -2 "${inside[@]}" "$slurm/bisect" --bench "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" --gpus-per-node 1 --output /proc/nope
  one_sentence "bisect: /proc/nope could not be made: No such file or directory; give --output a folder"
  mkdir out && echo text >out/logs
  for where in "${inside[*]}" "env"; do
    read -ra where <<<"$where"
    run -2 "${where[@]}" "$slurm/gauge" --nodes node1 --output out
    one_sentence "gauge: $PWD/out/logs could not be made: "
  done
}

@test "gauge: a full disk takes suspects.tsv, and not the list for people nor the draining" {
  FLEET_SAYS=$found
  made_command
  mkdir out && ln -s /dev/full out/suspects.tsv.part
  FLEET_ENDS=1 run -2 "${inside[@]}" "$slurm/gauge" --output out --drain
  one_sentence "gauge: $PWD/out/suspects.tsv could not be written: No space left on device; make room there"
  [[ $output == *"compared"*"1 node(s) to look at"*"node1  found  GPU-1"*"m: regressed: slow"*"node1 is drained: m: regressed: slow"* ]]
  [ ! -e out/suspects.tsv ]
}

@test "gauge: where standard output takes nothing the work goes on: 2 with the code that it would have been, and a 1 stays a 1" {
  made_command
  run -2 "${inside[@]}" bash -c '"$0" --output out >/dev/full' "$slurm/gauge"
  one_sentence "gauge: standard output could not be written: No space left on device; without that the exit code would have been 0"
  [ -e out/suspects.tsv ]
  FLEET_SAYS=$found FLEET_ENDS=1 run -1 "${inside[@]}" bash -c '"$0" --output more --drain >/dev/full' "$slurm/gauge"
  grep -q '^node1.found' more/suspects.tsv
  grep -q DRAIN fake/nodes/node1
  # Nor does a line of progress that nobody can read stop anything.
  run -0 "${inside[@]}" bash -c '"$0" --output third 2>/dev/full' "$slurm/gauge"
}

@test "gauge: a comparison that cannot be read ends with 2 and names the file" {
  for said in '{' '[]' '{}' '{"nodes": [{"node": "node1", "state": "found"}]}' '{"nodes": [7]}'; do
    FLEET_SAYS=$said
    made_command
    run -2 "${inside[@]}" "$slurm/gauge" --output "out$RANDOM$RANDOM"
    one_sentence "gauge: $PWD/out"
    [[ $output == *"is gpugauge another version than this script?"* ]]
  done
  # It says also what was compared before.
  unset FLEET_SAYS
  made_command
  rm -f made_compared measured
  FLEET_FAILS=2 run -2 "${inside[@]}" "$slurm/gauge" --output twice
  [[ $output == *"compared, and a report could not be written"* ]]
  one_sentence "gauge: gpugauge fleet ended with 2; round 1 was compared, and no suspect confirmed: gpugauge fleet $PWD/twice/runs --by-folder"
  # What the first comparison left is not read as the second one's.
  rm -f made_compared measured
  FLEET_FAILS=1 run -2 "${inside[@]}" "$slurm/gauge" --output stale
  one_sentence "gauge: $PWD/stale: what gpugauge fleet wrote there cannot be read"
}

@test "gauge: what a reason in another encoding holds is shown as far as it can be" {
  made_command
  printf 'DOWN\nL\374fter' >fake/nodes/node2
  # The made sinfo reads UTF-8: this one writes the bytes as they are.
  printf '#!/bin/sh\nprintf "node1|idle|none\\nnode2|down|L\\374fter \\342\\202\\254\\n"\n' >sinfo.made && chmod +x sinfo.made && mv sinfo.made bin/sinfo
  PYTHONIOENCODING=ascii run -3 "$slurm/gauge" --partition all --output out
  one_sentence "Slurm calls it down: L"
}

@test "gauge: interrupted in the second round it says that the first one was compared, and in the first that nothing was judged" {
  made_command
  printf '#!/bin/sh\ntouch second\nsleep 60\n' >bin/hanging && chmod +x bin/hanging
  for hangs in "" yes; do
    for signal in TERM HUP; do
      rm -f measured second
      out="out$hangs$signal"
      SECOND_SLEEPS=yes "${inside[@]}" "$slurm/gauge" --output "$out" --gpugauge "$PWD/bin/$([ -n "$hangs" ] && echo gpugauge || echo hanging)" >said 2>&1 3>&- &
      pid=$!
      for _ in $(seq 400); do [ ! -e second ] || break; sleep 0.05; done
      kill -"$signal" "$pid"
      code=0
      wait "$pid" || code=$?
      cat said
      [ "$code" = 3 ]
      if [ -n "$hangs" ]; then
        grep -q "^gauge: interrupted; round 1 was compared, and no suspect confirmed: gpugauge fleet $PWD/$out/runs --by-folder shows it" said
      else
        grep -q "^gauge: interrupted; its jobs were cancelled, and nothing was judged" said
      fi
    done
  done
}

# bench WORDS: a made gpugauge-bench-nccl whose rank 0 leaves them.
bench() {
  printf '#!/bin/sh\nfor word; do case "$word" in --gpugauge_samples=*) echo '"'%s'"' >"${word#*=}" ;; esac; done\n' "$1" >bin/bench
  chmod +x bin/bench
}

@test "bisect: what is no number ends with 2 and names the file" {
  made_command
  for value in '"fast"' null NaN '[]'; do
    bench '{"status": "ok", "benchmarks": [{"id": "nccl/all_reduce/256MiB", "status": "ok", "metrics": [{"name": "busbw", "better": "higher", "value": '"$value"'}]}]}'
    run -2 "${inside[@]}" "$slurm/bisect" --bench "$PWD/bin/bench" --gpus-per-node 1 --output "out$RANDOM$RANDOM" --all-only
    one_sentence "/measurements/0001/samples.json is not as this script reads it"
  done
  bench '[]'
  run -2 "${inside[@]}" "$slurm/bisect" --bench "$PWD/bin/bench" --gpus-per-node 1 --output "out$RANDOM$RANDOM" --all-only
  for bad in nan inf 0 -1; do
    run -2 "${inside[@]}" "$slurm/bisect" --bench "$PWD/bin/bench" --gpus-per-node 1 --output nothing --expected "$bad"
    [[ $output == *"--expected takes a bandwidth above 0"* ]]
  done
}

@test "bisect: a full disk, and a comparison of another version" {
  ln -sf "$REAL" bin/gpugauge
  given=("${inside[@]}" FAKE_FABRIC="$PWD/fabric.json" "$slurm/bisect" --bench "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" --gpus-per-node 1)
  given[2]='SLURM_JOB_NODELIST=node[1-5]'
  echo '{"slow_nodes": {"node3": 0.6}}' >fabric.json
  mkdir out more && ln -s /dev/full out/pairs.fabric.part && ln -s /dev/full more/bisect.json.part
  run -2 "${given[@]}" --output out
  one_sentence "bisect: $PWD/out/pairs.fabric could not be written: No space left on device; make room there"
  run -2 "${given[@]}" --output more --drain
  one_sentence "bisect: $PWD/more/bisect.json could not be written: No space left on device; make room there"
  [[ $output == *"slow node: node3"*"node3 is drained: "* ]]
  rm bin/gpugauge
  for said in '{}' '[]' '{"fabrics": [{"sizes": [], "judged": true, "findings": [{"finding": "new kind", "nodes": [], "reason": ""}], "remarks": [], "measure_again": []}]}'; do
    printf '#!/bin/sh\necho '"'%s'\n" "$said" >bin/gpugauge && chmod +x bin/gpugauge
    run -2 "${given[@]}" --output "out$RANDOM$RANDOM"
    one_sentence "fleet did not judge the pairs: is it another version than this script?"
  done
}

@test "bisect: where salloc gets no nodes that is no finding" {
  made_command
  rm bin/salloc
  # As salloc does: its own end is 1 unless told otherwise.
  printf '#!/bin/sh\necho "salloc: error: Unable to allocate resources: Requested nodes are busy" >&2\nexit "${SLURM_EXIT_ERROR:-1}"\n' >bin/salloc && chmod +x bin/salloc
  run -2 "$slurm/bisect" --nodes 'node[1-2]' --bench "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" --gpus-per-node 1 --output out
}

@test "whatever nobody foresaw ends with 2, one line and its place" {
  cp -r "$slurm" own
  for name in gauge bisect; do
    sed -i 's/^def arguments_of(words):$/&\n    return {}["surprise"]/' "own/$name"
    run -2 "own/$name" --output out
    one_sentence "$name: this was not foreseen, please report it: KeyError: 'surprise' ($name, line "
    [ "${#lines[@]}" = 1 ]
  done
}
