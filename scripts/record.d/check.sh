# shellcheck shell=bash disable=SC2034
# The command as an operator uses it: how long its verdicts take, and a check against a baseline made just before.
STAGE_ORDER=23
STAGE_TITLE="Verdicts on this GPU"
STAGE_PROVES="a quick verdict within 60 s and a smoke one within 20 s; a check against five smoke rounds made just before passes"
# The sum of the limits below, and some to begin and to count.
STAGE_SECONDS=220
# verdict_commands PROFILE SECONDS: a check whose text, report, exit code and time by the clock are kept, whatever it says.
verdict_commands() {
  cat <<TEXT
status=0 begin="\$EPOCHREALTIME"
$(limited "$2") "\$BUILD/bin/gpugauge" check --device "\$GPU_UUID" --profile $1 --report json="\$OUT/$1.json" >"\$OUT/$1.txt" || status=\$?
echo "{\"profile\": \"$1\", \"exit_code\": \$status, \"begin\": \$begin, \"end\": \$EPOCHREALTIME}" >"\$OUT/$1-time.json"
TEXT
}
stage_commands() {
  # The baseline is of this boot alone and is thrown away: it shows that nothing is called regressed where nothing changed.
  cat <<TEXT
export LC_ALL=C GPUGAUGE_STATE="\$(mktemp -d)"
trap 'rm -rf "\$GPUGAUGE_STATE"' EXIT
$(verdict_commands quick 80)
$(limited 100) "\$BUILD/bin/gpugauge" baseline create --device "\$GPU_UUID" --profile smoke --rounds 5 >"\$OUT/baseline.txt" || status=\$?
$(verdict_commands smoke 25)
python3 -B "\$ROOT/scripts/lib/recorded.py" count check "\$OUT/quick-time.json" "\$OUT/smoke-time.json" "\$OUT/smoke.json" >"\$OUT/summary.json"
TEXT
}
