# shellcheck shell=bash
# A private Slurm on this machine: its own munge, a controller and eight node daemons, on the loopback, in one folder. Needs no root.

# Nine ports in a row that are free on the loopback, the first one printed.
free_ports() {
  "${GPUGAUGE_PYTHON:-python3}" - <<'PY'
import random, socket
while True:
    first, held = random.randrange(20000, 29990), []
    try:
        for port in range(first, first + 9):
            held.append(socket.socket())
            held[-1].bind(("127.0.0.1", port))
        print(first)
        break
    except OSError:
        pass
    finally:
        for one in held:
            one.close()
PY
}

# start_cluster [LINE OF slurm.conf...]: sets CLUSTER (its folder) and SLURM_CONF. Returns 1 with a sentence when it does not come up.
start_cluster() {
  local first me number
  # A socket's path has 107 characters at most: not below bats' folder.
  CLUSTER="$(mktemp -d /tmp/gpugauge-slurm.XXXXXX)"
  export CLUSTER SLURM_CONF="$CLUSTER/slurm.conf"
  chmod 755 "$CLUSTER"
  mkdir -p "$CLUSTER"/{munge,state,spool,log}
  chmod 755 "$CLUSTER/munge"
  head -c 128 /dev/urandom >"$CLUSTER/munge/key"
  chmod 400 "$CLUSTER/munge/key"
  first="$(free_ports)" me="$(id -un)"
  munged --socket="$CLUSTER/munge/socket" --key-file="$CLUSTER/munge/key" --log-file="$CLUSTER/munge/log" \
    --pid-file="$CLUSTER/munge/pid" --seed-file="$CLUSTER/munge/seed" --origin=127.0.0.1 || return 1
  cat >"$SLURM_CONF" <<TEXT
ClusterName=gauge
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge/socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$first
SlurmctldPidFile=$CLUSTER/state/slurmctld.pid
SlurmctldLogFile=$CLUSTER/log/slurmctld
SlurmdLogFile=$CLUSTER/log/%n
SlurmdPidFile=$CLUSTER/spool/%n.pid
SlurmdSpoolDir=$CLUSTER/spool/%n
StateSaveLocation=$CLUSTER/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
KillWait=5
NodeName=node[1-8] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((first + 1))-$((first + 8))] CPUs=16 RealMemory=1000 State=UNKNOWN
PartitionName=gpu Nodes=ALL Default=YES MaxTime=120 State=UP
TEXT
  printf '%s\n' "$@" >>"$SLURM_CONF"
  slurmctld -f "$SLURM_CONF" || return 1
  for number in 1 2 3 4 5 6 7 8; do
    mkdir -p "$CLUSTER/spool/node$number"
    slurmd -N "node$number" -f "$SLURM_CONF" || return 1
  done
  for _ in $(seq 150); do
    [[ "$(sinfo --noheader --Node --states=idle --format=%N 2>/dev/null | sort -u | wc -l)" != 8 ]] || return 0
    sleep 0.2
  done
  printf 'eight nodes did not become idle within 30 s:\n' >&2
  tail -n 20 "$CLUSTER"/log/slurmctld >&2
  return 1
}

# Ends what start_cluster started, by process id, and removes its folder.
stop_cluster() {
  local file pid pids=()
  [[ -n "${CLUSTER:-}" && -d "$CLUSTER" ]] || return 0
  for job in $(squeue --noheader --format=%i 2>/dev/null); do scancel "$job"; done
  for file in "$CLUSTER"/spool/*.pid "$CLUSTER/state/slurmctld.pid" "$CLUSTER/munge/pid"; do
    pid="$(cat "$file" 2>/dev/null)" && kill "$pid" 2>/dev/null && pids+=("$pid")
  done
  for _ in $(seq 50); do
    kill -0 "${pids[@]}" 2>/dev/null || break
    sleep 0.2
  done
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  rm -rf "$CLUSTER"
}

state_of() { scontrol show node --oneliner "$1" | grep -oE '(^| )State=[^ ]+' | cut -d = -f 2; }
reason_of() { scontrol show node --oneliner "$1" | sed -nE 's/.* Reason=(.*)$/\1/p' | sed -E 's/ \[[^]]*\].*$//'; }
