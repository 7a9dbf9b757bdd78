# The completions and the manual page, made from the definition of the command line and tried in real shells.
load common

# complete_in_bash WORD...: what bash offers for the last word, one a line, sorted. The words are split at "=" as Readline does.
complete_in_bash() {
  gpugauge completion bash >completion.bash
  bash --norc -c '
    compopt() { :; }
    source ./completion.bash
    COMP_WORDS=()
    for word in "$@"; do
      while [[ "$word" == *=* ]]; do
        [[ -z "${word%%=*}" ]] || COMP_WORDS+=("${word%%=*}")
        COMP_WORDS+=("=")
        word="${word#*=}"
        [[ -n "$word" ]] || continue 2
      done
      COMP_WORDS+=("$word")
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _gpugauge
    (( ${#COMPREPLY[@]} == 0 )) || printf "%s\n" "${COMPREPLY[@]}" | sort' bash "$@"
}

@test "bash completes subcommands, and theirs" {
  run -0 complete_in_bash gpugauge ""
  for word in check compare doctor history completion; do [[ $'\n'$output$'\n' == *$'\n'$word$'\n'* ]]; done
  [[ $output != *probe* && $output != *manual* ]]
  run -0 complete_in_bash gpugauge comp
  [ "$output" = $'compare\ncompletion' ]
  run -0 complete_in_bash gpugauge doctor lo
  [ "$output" = lock ]
  run -0 complete_in_bash gpugauge doctor --policy production verif
  [ "$output" = verify ]
}

@test "bash completes options of the subcommand at hand, not of others" {
  run -0 complete_in_bash gpugauge check --prof
  [ "$output" = --profile ]
  run -0 complete_in_bash gpugauge doctor --pol
  [ "$output" = --policy ]
  run -0 complete_in_bash gpugauge doctor --prof
  [ "$output" = "" ]
}

@test "bash completes values: profiles, devices, report formats, checked lists, files" {
  run -0 complete_in_bash gpugauge check --profile ""
  [ "$output" = "$(printf '%s\n' smoke quick standard deep exhaustive | sort)" ]
  run -0 complete_in_bash gpugauge check -p sm
  [ "$output" = smoke ]
  run -0 complete_in_bash gpugauge check --profile=sm
  [ "$output" = smoke ]
  run -0 complete_in_bash gpugauge check --device ""
  [ "$output" = $'all\nhost\nlinks\nrank' ]
  run -0 complete_in_bash gpugauge check --device host --report ju
  [ "$output" = junit= ]
  : >verdict.xml
  run -0 complete_in_bash gpugauge check --report junit=ver
  [ "$output" = verdict.xml ]
  run -0 complete_in_bash gpugauge doctor --policy ""
  [ "$output" = $'development\nproduction' ]
  run -0 complete_in_bash gpugauge list ""
  [ "$output" = $'benchmarks\ndevices' ]
  run -0 complete_in_bash gpugauge compare --before ver
  [ "$output" = verdict.xml ]
  run -0 complete_in_bash gpugauge completion ""
  [ "$output" = $'bash\nfish\nzsh' ]
}

@test "every option that help shows is completed" {
  for command in check run compare fleet "doctor diff" "history trend"; do
    # shellcheck disable=SC2086  # the words of a path
    wanted="$(gpugauge $command --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort)"
    # shellcheck disable=SC2086
    run -0 complete_in_bash gpugauge $command --
    [ "$(grep -v -x -e --help-all <<<"$output")" = "$wanted" ]
  done
}

@test "zsh completes subcommands, options and values" {
  command -v zsh >/dev/null || skip "zsh is not installed: scripts/setup --for all installs it"
  gpugauge completion zsh >_gpugauge
  zsh -n _gpugauge
  # What compadd and _describe would offer, without a terminal.
  cat >try.zsh <<'ZSH'
compdef() { :; }
compadd() { while [[ $1 == -* ]]; do if [[ $1 == -S ]]; then shift; fi; if [[ $1 == -- ]]; then shift; break; fi; shift; done; print -rl -- $@; }
compset() { if [[ $2 == 1 ]]; then PREFIX=${PREFIX#*=}; return 0; fi; [[ $PREFIX == *=* ]] || return 1; PREFIX=${PREFIX#*=}; }
_describe() { print -rl -- ${${(P)2}%%:*}; }
_files() { print files "$@"; }
source ./_gpugauge
words=("$@") CURRENT=$# PREFIX=${@[-1]}
_gpugauge
ZSH
  run -0 zsh -f try.zsh gpugauge ""
  for word in check doctor history; do [[ $'\n'$output$'\n' == *$'\n'$word$'\n'* ]]; done
  [[ $output != *probe* ]]
  run -0 zsh -f try.zsh gpugauge doctor ""
  [[ $output == *lock* && $output != *fleet* ]]
  run -0 zsh -f try.zsh gpugauge check --quiet --
  [[ $output == *--profile* && $output != *--pid* ]]
  run -0 zsh -f try.zsh gpugauge check --profile ""
  [[ $output == *smoke* && $output == *deep* ]]
  run -0 zsh -f try.zsh gpugauge check --report junit=
  [ "$output" = "files" ]
  run -0 zsh -f try.zsh gpugauge check --state-dir ""
  [ "$output" = "files -/" ]
}

@test "fish completes subcommands, options and values" {
  command -v fish >/dev/null || skip "fish is not installed: scripts/setup --for all installs it"
  export HOME="$BATS_TEST_TMPDIR"
  gpugauge completion fish >gpugauge.fish
  complete_in_fish() { fish --no-config -c "source gpugauge.fish; complete -C '$1'" | cut -f 1 | sort; }
  run -0 complete_in_fish "gpugauge comp"
  [ "$output" = $'compare\ncompletion' ]
  run -0 complete_in_fish "gpugauge doctor lo"
  [ "$output" = lock ]
  run -0 complete_in_fish "gpugauge check --prof"
  [ "$output" = --profile ]
  run -0 complete_in_fish "gpugauge check --profile sm"
  [ "$output" = smoke ]
  run -0 complete_in_fish "gpugauge check --device "
  [[ $output == *host* ]]
  run -0 complete_in_fish "gpugauge doctor --prof"
  [ "$output" = "" ]
}

@test "an unknown shell is refused, and the known ones are named" {
  run -2 gpugauge completion tcsh
  [[ $output == *bash*fish*zsh* || $output == *bash*zsh*fish* ]]
  run -2 gpugauge completion
}

@test "the manual page holds every subcommand and option, and its checkers are content" {
  gpugauge manual --date 2026-01-31 >gpugauge.1
  grep -q '^.TH GPUGAUGE 1 2026-01-31 "gpugauge ' gpugauge.1
  text="$(sed 's:[\\]::g' gpugauge.1)"
  for word in 'gpugauge check' 'gpugauge doctor lock' 'gpugauge history export' --profile --treatment GPUGAUGE_STATE 'Exit codes'; do
    [[ $text == *"$word"* ]]
  done
  [[ $text != *"gpugauge probe"* ]]
  if command -v mandoc >/dev/null; then
    run -0 mandoc -T lint -W warning gpugauge.1
  elif command -v man >/dev/null; then
    run -0 bash -c 'man --warnings=w -l -Tutf8 gpugauge.1 2>&1 >/dev/null'
    [ "$output" = "" ]
  else
    skip "neither mandoc nor man is installed"
  fi
}
