# An upgrade of the fake GPU of fake_gpu.bash, and what its record says.
load fake_gpu

begin() {
  gpugauge upgrade begin --device 0 --profile smoke --rounds 2 --quiet "$@"
}
end() {
  gpugauge upgrade end --quiet "$@"
}

# recorded EXPRESSION: what Python makes of the last upgrade's record, `it`.
recorded() {
  gpugauge upgrade status --json | "$PYTHON" -c "import json, sys; it = json.load(sys.stdin); print($1)"
}
# state_is WORD: what that record says.
state_is() {
  [ "$(recorded 'it["state"]')" = "$1" ]
}
