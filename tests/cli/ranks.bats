# Several processes that a launcher starts together: they meet, compare versions, and hear of each other's end.
load common

child() { echo "$GPUGAUGE_BUILD/bin/rank_child"; }

# Starts ranks by hand: by_hand SIZE RANK... ; outputs go to out.RANK, exit codes to code.RANK.
by_hand() {
  local size=$1 rank
  shift
  export GPUGAUGE_RENDEZVOUS="127.0.0.1:$((30000 + RANDOM % 2000))" GPUGAUGE_RENDEZVOUS_TIMEOUT="${PATIENCE:-20}"
  for rank in "$@"; do
    (
      code=0
      GPUGAUGE_RANK=$rank GPUGAUGE_RANKS=$size timeout 60 "$(child)" >"out.$rank" 2>&1 || code=$?
      echo "$code" >"code.$rank"
    ) &
  done
  wait
}

mpirun_here() {
  command -v mpirun >/dev/null || skip "no mpirun"
  run -"$1" timeout 60 mpirun --oversubscribe --allow-run-as-root --bind-to none "${@:2}"
}

# under_mpi SIZE: each rank under Open MPI, which is told not to end the others with the first; out.RANK and code.RANK as above.
under_mpi() {
  command -v mpirun >/dev/null || skip "no mpirun"
  export GPUGAUGE_RENDEZVOUS_TIMEOUT="${PATIENCE:-20}"
  # shellcheck disable=SC2016  # each rank expands it
  timeout 60 mpirun --oversubscribe --allow-run-as-root --bind-to none --mca orte_abort_on_non_zero_status 0 -n "$1" \
    bash -c '"$0" >"out.$OMPI_COMM_WORLD_RANK" 2>&1; code=$?; echo "$code" >"code.$OMPI_COMM_WORLD_RANK"; exit "$code"' \
    "$(child)" || true
}

# parted RANK...: each of these ended by itself with the sentence in $sentence.
parted() {
  local rank
  for rank in "$@"; do
    cat "out.$rank"
    [ "$(cat "code.$rank")" = 3 ]
    [[ $(cat "out.$rank") == *$sentence* ]]
  done
}

@test "a process that no launcher started stands alone" {
  run -0 "$(child)"
  [ "$output" = alone ]
}

@test "ranks started by hand exchange what they have" {
  by_hand 4 0 1 2 3
  for rank in 0 1 2 3; do
    [ "$(cat "code.$rank")" = 0 ]
    [ "$(cat "out.$rank")" = "rank $rank of 4: 0 10 20 30 " ]
  done
}

@test "a version that differs is named on every rank" {
  FAKE_FACTS=nccl=2.28.9 FAKE_FACTS_2=nccl=2.27.3 by_hand 4 0 1 2 3
  for rank in 0 1 2 3; do
    [ "$(cat "code.$rank")" = 3 ]
    [[ $(cat "out.$rank") == *"NCCL differs between ranks: 2.27.3 on rank 2 (node), 2.28.9 on ranks 0-1, 3 (node)."* ]]
  done
}

@test "ranks whose messages have unlike formats end at once, and each says which formats and versions these are" {
  local start=$SECONDS other
  for other in 2 0; do
    export "FAKE_FORMAT_$other=99"
    by_hand 3 0 1 2
    unset "FAKE_FORMAT_$other"
    for rank in 0 1 2; do
      cat "out.$rank"
      [ "$(cat "code.$rank")" = 3 ]
      [[ $(cat "out.$rank") == *"of another build of GPUGauge than rank 0"*"message format 99 (GPUGauge 9.9.9)"*"Start the same build everywhere."* ]]
      [[ $(cat "out.$rank") == *"message format 3 (GPUGauge "[0-9]* ]]
    done
  done
  [ $((SECONDS - start)) -le 15 ]
}

@test "a rank that dies is named on every other rank" {
  FAKE_DEATH=2 by_hand 4 0 1 2 3
  [ "$(cat code.2)" = 9 ]
  for rank in 0 1 3; do
    [ "$(cat "code.$rank")" = 3 ]
    [[ $(cat "out.$rank") == *"PARTED rank 2 ("*"ended"* ]]
  done
}

@test "a rank that never comes is named on every rank, in time" {
  local start=$SECONDS
  PATIENCE=2 by_hand 4 0 1 3
  [ $((SECONDS - start)) -le 15 ]
  for rank in 0 1 3; do
    [ "$(cat "code.$rank")" = 3 ]
    [[ $(cat "out.$rank") == *"PARTED rank 2 of 4 did not come within 2 s."* ]]
  done
}

@test "under Open MPI ranks find each other without being told where" {
  mpirun_here 0 -n 4 "$(child)"
  for rank in 0 1 2 3; do [[ $output == *"rank $rank of 4: 0 10 20 30 "* ]]; done
}

@test "under Open MPI a version that differs ends all ranks with its name" {
  export FAKE_FACTS=driver=580.65.06 FAKE_FACTS_1=driver=575.57.08
  mpirun_here 3 -n 4 "$(child)"
  # mpirun kills what still runs when the first rank ends with an error: every rank has said it before.
  [ "$(grep -c "PARTED The driver differs between ranks: 575.57.08 on rank 1 (node), 580.65.06 on ranks 0, 2-3 (node)." <<<"$output")" = 4 ]
}

@test "under Open MPI a rank that dies before it meets the others is named on every rank, in time" {
  local start=$SECONDS sentence="PARTED rank 2 of 4 did not come within 2 s."
  PATIENCE=2 FAKE_DEATH_BEFORE=2 under_mpi 4
  [ $((SECONDS - start)) -le 15 ]
  [ "$(cat code.2)" = 9 ]
  parted 0 1 3
}

@test "under Open MPI a death of rank 0 before it listens is told by every other rank, in time" {
  local start=$SECONDS sentence="could not reach rank 0 at 127.0.0.1:"
  PATIENCE=2 FAKE_DEATH_BEFORE=0 under_mpi 3
  [ $((SECONDS - start)) -le 15 ]
  [ "$(cat code.0)" = 9 ]
  parted 1 2
}

@test "under Open MPI a rank that dies after the meeting is named on every other rank" {
  local start=$SECONDS sentence="PARTED rank 2 ("
  FAKE_DEATH=2 under_mpi 4
  [ $((SECONDS - start)) -le 15 ]
  [ "$(cat code.2)" = 9 ]
  parted 0 1 3
  for rank in 0 1 3; do [[ $(cat "out.$rank") == *") ended"* ]]; done
}

@test "under Open MPI the death of rank 0 after the meeting is told by every other rank" {
  local start=$SECONDS sentence="PARTED rank 0 ("
  FAKE_DEATH=0 under_mpi 3
  [ $((SECONDS - start)) -le 15 ]
  [ "$(cat code.0)" = 9 ]
  parted 1 2
}

@test "under Open MPI a rank that lives and never comes is named on every rank, in time" {
  local start=$SECONDS sentence="PARTED rank 2 of 4 did not come within 2 s."
  PATIENCE=2 FAKE_ABSENCE=2 under_mpi 4
  [ $((SECONDS - start)) -le 15 ]
  parted 0 1 3
}

@test "under Open MPI a rank that met the others and does not come to a step is named on every rank, in time" {
  local start=$SECONDS sentence='did not come to the step "answer" within 1 s'
  FAKE_HANG=1 FAKE_STEP_SECONDS=1 under_mpi 3
  [ $((SECONDS - start)) -le 20 ]
  parted 0 1 2
  for rank in 0 2; do [[ $(cat "out.$rank") == *"PARTED rank 1 ("* ]]; done
}

@test "as mpirun does it by itself: every rank has said who did not come before the job is ended" {
  mpirun_here 3 -n 3 -x GPUGAUGE_RENDEZVOUS_TIMEOUT=2 -x FAKE_ABSENCE=1 "$(child)"
  [ "$(grep -c "PARTED rank 1 of 3 did not come within 2 s." <<<"$output")" = 2 ]
}

@test "a rank 0 that may not open a connection for each rank says so, on every rank that it has let in" {
  export GPUGAUGE_RENDEZVOUS="127.0.0.1:$((30000 + RANDOM % 2000))" GPUGAUGE_RENDEZVOUS_TIMEOUT=5 GPUGAUGE_RANKS=12
  local start=$SECONDS rank
  for rank in $(seq 11); do GPUGAUGE_RANK=$rank timeout 60 "$(child)" >"out.$rank" 2>&1 & done
  run -3 bash -c "ulimit -n 10; GPUGAUGE_RANK=0 exec timeout 60 $(child)"
  [[ $output == *"PARTED rank 0 cannot take a connection of each of 12 ranks: Too many open files. Raise its limit of open files (ulimit -n)."* ]]
  wait
  [ $((SECONDS - start)) -le 15 ]
  [ "$(grep -l "PARTED rank 0 cannot take a connection" out.* | wc -l)" -ge 3 ]
}

# The first connection to nobody gets the port itself for its own end: without care the rank meets itself, and rank 0 cannot listen.
@test "a rank on a port that the kernel gives away does not meet itself" {
  unshare -rn true 2>/dev/null || skip "no network namespace"
  # shellcheck disable=SC2016  # the shell in the namespace expands it
  run -0 unshare -rn bash -c '
    "$PYTHON" -c "
import fcntl, socket, struct
one = socket.socket()
fcntl.ioctl(one, 0x8914, struct.pack(\"16sH14x\", b\"lo\", 0x49))  # SIOCSIFFLAGS: up and running
"
    echo "34000 34003" >/proc/sys/net/ipv4/ip_local_port_range
    export GPUGAUGE_RENDEZVOUS=127.0.0.1:34000 GPUGAUGE_RENDEZVOUS_TIMEOUT=8 GPUGAUGE_RANKS=2
    GPUGAUGE_RANK=1 "$0" & sleep 3; GPUGAUGE_RANK=0 "$0"; wait $!' "$(child)"
  [[ $output == *"rank 0 of 2: 0 10 "* && $output == *"rank 1 of 2: 0 10 "* ]]
}

@test "the family's ranks say alike why they cannot measure, each in a sample file of its own" {
  [ -x "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-nccl" ] || skip "the family is not built"
  if has_gpu; then skip "there is a GPU here"; fi
  mpirun_here 3 -n 2 "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-nccl" --gpugauge_samples="$PWD/samples.json"
  [[ $output == *"unavailable: ranks 0-1 ("*") cannot take part: No NVIDIA driver library"* ]]
  "$PYTHON" - <<'PY'
import json, socket
for rank in (0, 1):
    samples = json.load(open(f"samples.rank{rank}.json"))
    assert samples["status"] == "unavailable" and "ranks 0-1" in samples["reason"]
    assert samples["context"]["ranks.rank"] == str(rank)
    assert samples["context"]["ranks.nodes"] == socket.gethostname(), samples["context"]
PY
  # All on one machine: nothing between nodes, and said.
  run -3 gpugauge fleet samples.rank0.json samples.rank1.json
  [[ $output == *"1 collective within one node was not compared here"* ]]
}

@test "ranks keep samples that nobody named a file for, and a second job keeps its own beside them" {
  [ -x "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-nccl" ] || skip "the family is not built"
  if has_gpu; then skip "there is a GPU here"; fi
  for job in 1 2; do
    mpirun_here 3 -n 2 "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-nccl"
    [ "$(find . -name 'nccl.*.rank0.json' | wc -l)" = "$job" ]
    [ "$(find . -name 'nccl.*.rank1.json' | wc -l)" = "$job" ]
  done
  [[ $output == *"rank1 keeps its samples in nccl."*".rank1.json; --gpugauge_samples=FILE names another file"* ]]
  "$PYTHON" - <<'PY'
import json, pathlib, re, socket
jobs = {}
for file in pathlib.Path().glob("nccl.*.json"):
    found = re.fullmatch(r"nccl\.(.+)\.(\d{8}T\d{6}Z-\d+)\.rank([01])\.json", file.name)
    assert found and found[1] == socket.gethostname(), file.name
    assert json.loads(file.read_text())["context"]["ranks.rank"] == found[3]
    jobs.setdefault(found[2], set()).add(found[3])
assert len(jobs) == 2 and all(ranks == {"0", "1"} for ranks in jobs.values()), jobs
PY
  # Each pair is one collective.
  run -3 gpugauge fleet ./nccl.*.json
  [[ $output == *"2 collectives within one node were not compared here"* ]]
}

@test "a family that the harness started stands alone, whatever started the harness" {
  [ -x "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-nccl" ] || skip "the family is not built"
  if has_gpu; then skip "there is a GPU here"; fi
  export SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=200 SLURM_LOCALID=0 SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_STEP_NODELIST=127.0.0.1
  # shellcheck disable=SC2016  # the shell that is started expands them
  run -3 timeout 30 bash -c '"$0" --gpugauge_parent=$$; exit $?' "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-nccl"
  [[ $output == *"unavailable: No NVIDIA driver library"* ]]
  [ -z "$(find . -name 'nccl.*')" ]
  # The same without a harness is a rank, and waits for rank 0.
  GPUGAUGE_RENDEZVOUS_TIMEOUT=1 run -3 timeout 30 "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-nccl"
  [[ $output == *"rank 3 of 200 could not reach rank 0 at 127.0.0.1:"* ]]
}
