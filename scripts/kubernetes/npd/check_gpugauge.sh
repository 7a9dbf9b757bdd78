#!/bin/sh
# A plugin of node-problem-detector: what the last stored verdict of this node is. Measures nothing.
# Exit 0: no problem; 1: a problem; 2: unknown. One line on standard output, cut to what gpugauge.json allows.
#   GPUGAUGE          the command (default: gpugauge)
#   GPUGAUGE_ROOT     the machine's root, where this runs in a container that has mounted it (default: /)
#   GPUGAUGE_MAX_AGE  older passes are unknown (default: 50h: a night, the day that a job may wait, and its check)
gauge="${GPUGAUGE:-gpugauge}"
longest=80
# Below the rule's 8 s, so that it is this script that says so.
seconds=5
LC_ALL=C
export LC_ALL

# say CODE TEXT: its first line that holds anything. Control characters and what is not ASCII, which a cut could halve, are left
# out.
say() {
  printf '%s\n' "$2" | tr -cd ' -~\n' | sed -n '/[^ ]/{s/^ *//;p;q;}' | cut -c "1-$longest"
  exit "$1"
}

for needed in "$gauge" timeout; do
  command -v "$needed" >/dev/null 2>&1 || say 2 "unknown: there is no $needed here"
done

# Its exit code, a line break, and what it said: 4 KiB of it, the rest is thrown away. Standard error is left to the detector's log.
said="$(
  {
    {
      code=0
      timeout -k 1 "$seconds" "$gauge" status --device all --exit-style npd \
        --max-age "${GPUGAUGE_MAX_AGE:-50h}" --root "${GPUGAUGE_ROOT:-/}" || code=$?
      echo "$code" >&3
    } | {
      text="$(head -c 4096 | tr -d '\000')"
      cat >/dev/null
      printf '%s\n' "$text"
    }
  } 3>&1
)"
code="${said%%
*}"
text="${said#"$code"}"
visible="$(printf '%s' "$text" | tr -cd '!-~')"

case "$code" in
  # A program that cannot even be loaded ends with 1 as well, and says nothing here.
  0 | 1) [ -n "$visible" ] || say 2 "unknown: gpugauge status ended with $code and said nothing" ;;
  2) [ -n "$visible" ] || say 2 "unknown: gpugauge status could not tell" ;;
  124 | 137) say 2 "unknown: gpugauge status did not end within $seconds s" ;;
  *) say 2 "unknown: gpugauge status ended with $code" ;;
esac
say "$code" "$text"
