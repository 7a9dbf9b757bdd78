# The nccl family as ranks that Open MPI starts, the whole way: the meeting, the communicator, collectives, the watch and the abort. Driver,
# CUDA runtime and NCCL are made for tests (tests/fakes/runtime/plan.hpp tells how their calls fail): no figure is a GPU's.
load common

eval "common_$(declare -f setup)"

setup() {
  common_setup
  fakes=$GPUGAUGE_BUILD/tests/fakes
  [ -x "$fakes/runtime/collectives/gpugauge-bench-nccl" ] || skip "built without NCCL"
  command -v mpirun >/dev/null || skip "no mpirun"
  export FAKES=$fakes HOME=$PWD GPUGAUGE_RENDEZVOUS_TIMEOUT=20 GPUGAUGE_COLLECTIVE_TIMEOUT=3
  unset "${!NCCL_@}"
  # A rank: a GPU, a plan and variables of its own (file env.RANK). It leaves out.RANK and code.RANK.
  cat >rank <<'SH'
rank=$OMPI_COMM_WORLD_RANK
echo "runtime_uuid_end=$((rank * 2))" >"scenario.$rank"
export LD_LIBRARY_PATH="$FAKES/driver" GPUGAUGE_FAKE_SCENARIO="$PWD/scenario.$rank" GPUGAUGE_FAKE_CUDA=
if [ -e "env.$rank" ]; then
  set -a
  . "./env.$rank"
fi
on_node=()
if [ -n "${NODE:-}" ]; then on_node=(unshare -ru bash -c 'hostname "$NODE"; exec "$@"' node); fi
"${on_node[@]}" "$FAKES/runtime/collectives/gpugauge-bench-nccl" --gpugauge_window="${WINDOW:-0.02}" --gpugauge_samples=s.json --benchmark_filter=nccl/all_reduce/8B >"out.$rank" 2>&1
code=$?
echo "$code" >"code.$rank"
exit "$code"
SH
}

# ranks SIZE: they end within SECONDS_MOST (40) seconds. mpirun is told not to end the others with the first, unless ABORTS is set.
ranks() {
  local start=$SECONDS lives=(--mca orte_abort_on_non_zero_status 0)
  if [ -n "${ABORTS:-}" ]; then lives=(); fi
  timeout 100 mpirun --oversubscribe --allow-run-as-root --bind-to none "${lives[@]}" -n "$1" bash ./rank || true
  tail -n 3 out.*
  [ $((SECONDS - start)) -le "${SECONDS_MOST:-40}" ]
}

# ended RANK CODE TEXT: how it ended, and what it said.
ended() {
  [ "$(cat "code.$1")" = "$2" ]
  [[ $(cat "out.$1") == *$3* ]]
}

# reason RANK TEXT: what its sample file says of the benchmark.
reason() {
  "$PYTHON" - "$@" <<'PY'
import json, sys
left = json.load(open(f"s.rank{sys.argv[1]}.json"))
(one,) = left["benchmarks"]
assert one["status"] == "failed" and sys.argv[2] in one["reason"], (left["reason"], one)
PY
}

@test "without a fault three ranks measure, so that the faults are shown to be ones" {
  ranks 3
  for rank in 0 1 2; do ended "$rank" 0 "nccl/all_reduce/8B"; done
  "$PYTHON" - <<'PY'
import json
for rank in range(3):
    left = json.load(open(f"s.rank{rank}.json"))
    assert left["status"] == "ok" and left["benchmarks"][0]["notes"]["ranks"] == "3, one a process", left
    assert left["context"]["nccl.tuner"] == left["context"]["nccl.settings"] == "none", left["context"]
    assert left["context"]["environment.CUDA_VISIBLE_DEVICES"] == str(rank), left["context"]
PY
}

@test "where the launcher tells nobody's number on its node, each rank counts those before it, and takes that GPU of the list" {
  for rank in 0 1 2; do printf '%s\n' "unset OMPI_COMM_WORLD_LOCAL_RANK" "CUDA_VISIBLE_DEVICES=7,6,5" >"env.$rank"; done
  ranks 3
  for rank in 0 1 2; do
    ended "$rank" 0 "nccl/all_reduce/8B"
    grep -q "\"environment.CUDA_VISIBLE_DEVICES\": \"$((7 - rank))\"" "s.rank$rank.json"
  done
}

@test "of two nodes each counts its own ranks, and may have its own paths within it" {
  unshare -ru true 2>/dev/null || skip "no namespace for a node's name"
  for rank in 0 1 2 3; do
    printf '%s\n' "unset OMPI_COMM_WORLD_LOCAL_RANK" "CUDA_VISIBLE_DEVICES=7,6" "NODE=node$((rank / 2))" >"env.$rank"
  done
  for rank in 0 1; do echo "NCCL_SHM_DISABLE=1" >>"env.$rank"; done
  ranks 4
  for rank in 0 1 2 3; do
    ended "$rank" 0 "nccl/all_reduce/8B"
    grep -q "\"environment.CUDA_VISIBLE_DEVICES\": \"$((7 - rank % 2))\"" "s.rank$rank.json"
    grep -q "\"ranks.nodes\": \"node0 node1\"" "s.rank$rank.json"
  done
  echo "NCCL_SHM_DISABLE=0" >>env.1
  ranks 4
  for rank in 0 1 2 3; do
    ended "$rank" 3 "NCCL_SHM_DISABLE differs between ranks of one node: NCCL_SHM_DISABLE=1 on rank 0 (node0), not set on rank 1 (node0)."
  done
}

@test "ranks that were given unlike windows measure as often as each other" {
  echo "WINDOW=1e-9" >env.1
  ranks 2
  for rank in 0 1; do ended "$rank" 0 "nccl/all_reduce/8B"; done
}

@test "a tuner plugin that one rank has alone is named on every rank, before a communicator is made" {
  echo "NCCL_TUNER_PLUGIN=$fakes/plugins/libnccl-tuner-tested.so GPUGAUGE_FAKE_CUDA=ncclCommInitRank=crash" >env.1
  ranks 3
  for rank in 0 1 2; do
    ended "$rank" 3 "unavailable: NCCL's tuner plugin differs between ranks: libnccl-tuner-tested.so, "
    ended "$rank" 3 "interface v3 on rank 1 ("*"), none on ranks 0, 2 ("
  done
}

@test "a network plugin that one rank has alone is named on every rank" {
  echo "NCCL_NET_PLUGIN=$fakes/plugins/libnccl-net-tested.so NCCL_TUNER_PLUGIN=none" >env.0
  ranks 2
  for rank in 0 1; do ended "$rank" 3 "NCCL's network plugin differs between ranks: libnccl-net-tested.so, "; done
}

@test "an environment plugin that one rank has alone is named on every rank, where NCCL knows such plugins" {
  echo "NCCL_ENV_PLUGIN=$fakes/plugins/libnccl-env-tested.so" >env.1
  ranks 2
  grep -q '"nccl.environment": "none"' s.rank0.json
  if grep -Eq '"nccl.version": "2\.((2[0-7]|1?[0-9])\.|28\.[0-6]")' s.rank0.json; then
    for rank in 0 1; do ended "$rank" 0 "nccl/all_reduce/8B"; done
  else
    for rank in 0 1; do ended "$rank" 3 "NCCL's environment plugin differs between ranks: libnccl-env-tested.so, "; done
  fi
}

@test "a setting of NCCL that one rank has alone is named on every rank, with the file that holds it" {
  echo "NCCL_PROTO=Simple" >own.conf
  echo "NCCL_CONF_FILE=$PWD/own.conf" >env.1
  ranks 3
  for rank in 0 1 2; do
    ended "$rank" 3 "NCCL_PROTO differs between ranks: NCCL_PROTO=simple by $PWD/own.conf on rank 1 ("*"), not set on ranks 0, 2 ("
  done
}

@test "settings that ranks share, or need not share, stop nobody" {
  echo "NCCL_ALGO=Ring" >.nccl.conf
  echo "NCCL_ALGO=ring NCCL_SOCKET_IFNAME=eth0 NCCL_DEBUG=WARN NCCL_IB_HCA=mlx5_0" >env.1
  ranks 2
  for rank in 0 1; do ended "$rank" 0 "nccl/all_reduce/8B"; done
  grep -q '"nccl.settings": "NCCL_ALGO=ring"' s.rank0.json
}

@test "ranks that say NVLS and CollNet unlike each other measure: NCCL agrees on both itself" {
  echo "NCCL_NVLS_ENABLE=0 NCCL_COLLNET_ENABLE=1" >env.1
  ranks 2
  for rank in 0 1; do ended "$rank" 0 "nccl/all_reduce/8B"; done
  grep -q '"nccl.settings": "none"' s.rank0.json
  grep -q '"nccl.settings": "NCCL_COLLNET_ENABLE=1 NCCL_NVLS_ENABLE=0"' s.rank1.json
}

@test "settings that ranks write in different ways and that mean the same stop nobody" {
  echo "NCCL_BUFFSIZE=4194304 NCCL_ALGO=ring,tree NCCL_RUNTIME_CONNECT=1 NCCL_P2P_LEVEL=PHB" >env.0
  echo "NCCL_BUFFSIZE=0x400000 NCCL_ALGO=Tree,Ring NCCL_P2P_LEVEL=3" >env.1
  ranks 2
  for rank in 0 1; do
    ended "$rank" 0 "nccl/all_reduce/8B"
    grep -q '"nccl.settings": "NCCL_ALGO=ring,tree NCCL_BUFFSIZE=4194304 NCCL_P2P_LEVEL=PHB"' "s.rank$rank.json"
  done
}

@test "a rank that never comes is named in every other rank's output and sample file, also where mpirun ends all with the first" {
  echo "sleep 30" >env.1
  GPUGAUGE_RENDEZVOUS_TIMEOUT=2 ABORTS=1 SECONDS_MOST=15 ranks 3
  for rank in 0 2; do
    [[ $(cat "out.$rank") == *"unavailable: rank 1 of 3 did not come within 2 s."* ]]
    grep -q '"reason": "rank 1 of 3 did not come within 2 s.' "s.rank$rank.json"
  done
}

@test "an error of one rank while the communicator is made is told by all" {
  echo "GPUGAUGE_FAKE_CUDA=ncclCommInitRank=1" >env.1
  ranks 3
  ended 1 1 "making NCCL's communicator failed: an error of the fake NCCL"
  reason 1 "making NCCL's communicator failed"
  for rank in 0 2; do reason "$rank" "rank 1 ("; done
}

@test "a communicator that one rank never makes: all say so within the limit, and the one that is stuck ends, too" {
  echo "GPUGAUGE_FAKE_CUDA=ncclCommInitRank=hang" >env.2
  ranks 3
  ended 2 1 "NCCL made no communicator within 6 s"
  for rank in 0 1; do reason "$rank" "NCCL made no communicator within 6 s"; done
}

@test "a rank that dies while the communicator is made is named by all others" {
  echo "GPUGAUGE_FAKE_CUDA=ncclCommInitRank=exit" >env.1
  ranks 3
  [ "$(cat code.1)" = 7 ]
  for rank in 0 2; do reason "$rank" "rank 1 ("; done
}

@test "a rank that dies in a collective is named by all others" {
  echo "GPUGAUGE_FAKE_CUDA=ncclAllReduce:10=exit" >env.2
  ranks 3
  [ "$(cat code.2)" = 7 ]
  for rank in 0 1; do reason "$rank" "rank 2 ("; done
}

@test "a collective that hangs on one rank is given up within the limit, and every rank says where" {
  echo "GPUGAUGE_FAKE_CUDA=ncclAllReduce:10=stuck" >env.1
  ranks 3
  reason 1 "a collective did not end within 3 s on GPU-"
  for rank in 0 2; do reason "$rank" "rank 1 ("; done
  for rank in 0 2; do reason "$rank" "gave up: a collective did not end within 3 s on GPU-"; done
}

@test "an error that NCCL tells of while a collective is in flight ends all ranks at once" {
  echo "GPUGAUGE_FAKE_CUDA=ncclAllReduce:10=endless" >env.0
  SECONDS_MOST=15 ranks 2
  reason 0 "a collective on GPU-"
  reason 1 "rank 0 ("
}

@test "where NCCL cannot be asked for errors, that is the error" {
  echo "GPUGAUGE_FAKE_CUDA='ncclAllReduce:10=stuck;ncclCommGetAsyncError=1'" >env.1
  ranks 2
  reason 1 "asking NCCL for errors failed: an error of the fake NCCL"
  reason 0 "rank 1 ("
}

@test "an enqueueing call that never returns ends its own process within the limit, and the others hear why" {
  echo "GPUGAUGE_FAKE_CUDA=ncclAllReduce:10=hang" >env.1
  ranks 2
  ended 1 1 "enqueueing a collective on GPU-"
  ended 1 1 "did not come back within 3 s; it was still inside NCCL, and this process ends"
  reason 1 "did not come back within 3 s"
  reason 0 "rank 1 ("
}

@test "an abort that never returns does not keep the process: what was measured is kept, and it ends" {
  echo "GPUGAUGE_FAKE_CUDA='ncclAllReduce:10=1;ncclCommAbort=hang'" >env.1
  SECONDS_MOST=20 ranks 2
  ended 1 1 "this rank still waited in a library for one that is gone; ended"
  reason 1 "enqueueing a collective on GPU-"
  reason 0 "rank 1 ("
}

@test "a rank without its communicator's identifier tells the others, which do not wait for it" {
  echo "GPUGAUGE_FAKE_CUDA=ncclGetUniqueId=1" >env.0
  SECONDS_MOST=15 ranks 2
  reason 0 "making NCCL's identifier failed"
  reason 1 "rank 0 ("
}

@test "more ranks than GPUs: the rank that finds none says which one it was to take" {
  echo "GPUGAUGE_FAKE_CUDA=cudaGetDeviceCount=100" >env.1
  ranks 2
  for rank in 0 1; do ended "$rank" 3 "rank 1 ("*"It was to take GPU 1 of its node, by its number among the ranks there: start no more ranks on a node than it has GPUs."; done
}

@test "a limit that is no number of seconds is refused" {
  echo "GPUGAUGE_COLLECTIVE_TIMEOUT=soon" >env.0
  cp env.0 env.1
  ranks 2
  for rank in 0 1; do ended "$rank" 2 "GPUGAUGE_COLLECTIVE_TIMEOUT=soon: not a whole number from 1 to 3600"; done
}
