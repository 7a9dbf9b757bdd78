# The commands that a page of the documentation shows, run as they are written.

# page_commands FILE [HEADING]: every shell command of the fenced blocks of FILE, one a line, in the page's order; with
# HEADING only those below that heading, as far as the next one of any level. A fence that names another language than sh,
# shell or bash holds no commands. A command over several lines ends each but the last with a backslash and is joined.
# Comments and empty lines are left out. Fails for a page or heading without commands, and for one that is no shell.
page_commands() {
  local line command="" language="" inside="" wanted="yes" found=0
  if (($# > 1)); then wanted=""; fi
  while IFS= read -r line || [[ -n $line ]]; do
    if [[ $line =~ ^[[:space:]]*'```'(.*)$ ]]; then
      if [[ -n $inside ]]; then inside=""; else inside=yes language="${BASH_REMATCH[1]}"; fi
      continue
    fi
    if [[ -z $inside ]]; then
      if (($# > 1)) && [[ $line =~ ^'#'+' '(.*)$ ]]; then
        wanted=""
        if [[ ${BASH_REMATCH[1]} == "$2" ]]; then wanted=yes; fi
      fi
      continue
    fi
    if [[ -z $wanted || ! $language =~ ^(|sh|shell|bash)$ ]]; then continue; fi
    if [[ -z $command && $line =~ ^[[:space:]]*('#'.*)?$ ]]; then continue; fi
    if [[ $line == *\\ ]]; then
      command+="${line%\\}"
      continue
    fi
    command+="$line"
    if ! bash -n -c "$command"; then
      echo "$1: no shell command on one line (end the others with a backslash): $command" >&2
      return 1
    fi
    printf '%s\n' "$command"
    found=$((found + 1)) command=""
  done <"$1"
  if ((found == 0)); then
    echo "$1 shows no command${2:+ below \"$2\"}" >&2
    return 1
  fi
}

# page_run: runs the commands on standard input one after another in one shell, so that what one exports the next one has.
# Prints "$ COMMAND", its output, and "[STATUS]"; ends with 0: what a command must end with is for the test to say.
page_run() {
  local command
  local -a commands
  mapfile -t commands
  for command in "${commands[@]}"; do
    printf '$ %s\n' "$command"
    # The page's words, as a reader would type them; a failure must not end the test's own shell.
    if eval "$command" </dev/null 2>&1; then echo "[0]"; else echo "[$?]"; fi
  done
}
