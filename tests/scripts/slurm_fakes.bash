# shellcheck shell=bash disable=SC2034  # the tests use them
# Slurm's commands, the nodes' measurements and the stored verdict made up, for the tests of scripts/slurm.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || exit
  slurm="$GPUGAUGE_SOURCE/scripts/slurm"
  export FAKE_SLURM="$PWD/fake" REAL="$GPUGAUGE_BUILD/bin/gpugauge" FLEET="$PWD/made" PYTHONDONTWRITEBYTECODE=1 COLUMNS=1000
  mkdir -p bin fake/nodes fake/jobs
  for name in sinfo scontrol sbatch squeue scancel srun salloc; do ln -s "$GPUGAUGE_SOURCE/tests/slurm/fake_slurm.py" "bin/$name"; done
  for number in 0 1 2 3 4 5 6 7 8; do echo IDLE >"fake/nodes/node$number"; done
  # What a node measures was made before; the comparison is the real one.
  cat >bin/gpugauge <<'TEXT'
#!/bin/sh
verb=$1
case "$verb" in
  fleet) exec "$REAL" "$@" ;;
  status) echo "$STATUS_SAYS"; [ -z "$STATUS_SLEEPS" ] || sleep "$STATUS_SLEEPS"; exit "${STATUS_ENDS:-0}" ;;
esac
echo "$SLURMD_NODENAME $*" >>"$FAKE_SLURM/measured"
[ "$SLURMD_NODENAME" != "$BROKEN" ] || { echo "gpugauge: no usable GPU: the driver gives no answer" >&2; exit 3; }
previous=
for word; do
  [ "$previous" != --state-dir ] || GPUGAUGE_STATE=$word
  previous=$word
done
mkdir -p "$GPUGAUGE_STATE/runs"
round=$(grep -c "^$SLURMD_NODENAME " "$FAKE_SLURM/measured")
cp "$FLEET/node-0000${SLURMD_NODENAME#node}/round-$round.json" "$GPUGAUGE_STATE/runs/$SLURMD_NODENAME-$round.json"
echo "  kept as $GPUGAUGE_STATE/runs/$SLURMD_NODENAME-$round.json"
[ "$SLURMD_NODENAME" != "$DRAINS" ] || printf 'IDLE+DRAIN\ngpugauge: its own check' >"$FAKE_SLURM/nodes/$SLURMD_NODENAME"
[ "$verb" != check ] || { echo "${CHECK_SAYS:-pass: all is well}"; exit "${CHECK_ENDS:-0}"; }
TEXT
  chmod +x bin/gpugauge
  PATH="$PWD/bin:$PATH"
  unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURMD_NODENAME GPUGAUGE_STATE
}

# Nine nodes, the sixth of which is 8% slower in both rounds.
fleet_of_nine() {
  "$GPUGAUGE_BUILD/bin/make_fleet" made 9 2 >/dev/null
}
