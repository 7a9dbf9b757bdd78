// The completion for bash: one function that walks the words up to the cursor, and tables that it asks. Works
// without the package bash-completion, and with bash 4.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/definition.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* bash_walker = R"script(
# What completes a value of the kind $1, which begins with $2.
_gpugauge_reply() {
  local word="$2"
  case "$1" in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    words*)
      if [[ "$1" == words_then_file* && "$word" == *=* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "${word#*=}")
      else
        [[ "$1" != words_then_file* ]] || compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "${1#* }" -- "$word")
      fi
      ;;
  esac
}

_gpugauge() {
  local path=gpugauge kind="" word count=0 i words=()
  # Readline splits at "=": what belongs together is put together again.
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word="${COMP_WORDS[i]}"
    if ((${#words[@]} > 0)) && [[ "$word" == "="* || ("${words[-1]}" == *= && "${COMP_WORDS[i - 1]}" == "=") ]]; then
      words[-1]+="$word"
    else
      words+=("$word")
    fi
  done
  local current="${words[-1]}"
  unset 'words[-1]'
  COMPREPLY=()
  for word in "${words[@]}"; do
    if [[ -n "$kind" ]]; then
      kind=""
    elif [[ "$word" == --*=* ]]; then
      :
    elif [[ "$word" == -* ]]; then
      kind="$(_gpugauge_value "$path $word")"
    elif [[ " $(_gpugauge_commands "$path") " == *" $word "* ]]; then
      path+=" $word" count=0
    else
      count=$((count + 1))
    fi
  done
  if [[ -n "$kind" ]]; then
    _gpugauge_reply "$kind" "$current"
  elif [[ "$current" == --*=* ]]; then
    kind="$(_gpugauge_value "$path ${current%%=*}")"
    _gpugauge_reply "$kind" "${current#*=}"
  elif [[ "$current" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_gpugauge_options "$path")" -- "$current")
  else
    word="$(_gpugauge_commands "$path")"
    kind="$(_gpugauge_argument "$path" "$count")"
    if [[ -n "$word" && -z "$kind" ]]; then
      kind="words $word"
    fi
    _gpugauge_reply "$kind" "$current"
  fi
}
complete -F _gpugauge gpugauge
)script";

/// One line of a shell's case statement; the words hold no quotes.
std::string row(const std::string& pattern, const std::string& text) {
  return fmt::format("    {}) echo \"{}\" ;;\n", pattern, text);
}

}  // namespace

std::string bash_completion(const DefinedCommand& command) {
  std::string commands;
  std::string options;
  std::string values;
  std::string arguments;
  for (const DefinedCommand* one : all_commands(command)) {
    std::vector<std::string> names;
    for (const DefinedCommand& below : one->subcommands) names.push_back(below.name);
    if (!names.empty())
      commands += row(fmt::format("\"{}\"", one->path), fmt::format("{}", fmt::join(names, " ")));
    names.clear();
    for (const DefinedOption& option : one->options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (!option.takes_value()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names)
        patterns.push_back(fmt::format("\"{} {}\"", one->path, name));
      values += row(fmt::format("{}", fmt::join(patterns, " | ")), kind_text(option));
    }
    options += row(fmt::format("\"{}\"", one->path), fmt::format("{}", fmt::join(names, " ")));
    for (std::size_t i = 0; i < one->arguments.size(); ++i) {
      const DefinedOption& argument = one->arguments[i];
      arguments += row(fmt::format("\"{} \"{}", one->path, argument.repeated ? "*" : fmt::format("{}", i)),
                       kind_text(argument));
    }
  }
  const auto table = [](const char* name, const char* key, const std::string& rows) {
    return fmt::format("\n_gpugauge_{}() {{\n  case \"{}\" in\n{}  esac\n}}\n", name, key, rows);
  };
  return "# bash completion of gpugauge, written by `gpugauge completion bash`.\n" +
         table("commands", "$1", commands) + table("options", "$1", options) + table("value", "$1", values) +
         table("argument", "$1 $2", arguments) + bash_walker;
}

}  // namespace gpugauge::cli
