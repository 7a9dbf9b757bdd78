// The completion for zsh: the same walk and tables as bash's, with descriptions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/definition.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* zsh_walker = R"script(
# What completes a value of the kind $1.
_gpugauge_reply() {
  case $1 in
    files) _files ;;
    folders) _files -/ ;;
    words_then_file*)
      if compset -P '*='; then _files; else compadd -S '' -- ${=1#* }; fi ;;
    words*) compadd -- ${=1#* } ;;
  esac
}

_gpugauge() {
  local at=gpugauge kind='' word count=0
  local -a rows
  for word in ${words[2,CURRENT-1]}; do
    if [[ -n $kind ]]; then
      kind=''
    elif [[ $word == --*=* ]]; then
      :
    elif [[ $word == -* ]]; then
      kind=$(_gpugauge_value "$at $word")
    else
      rows=(${(f)"$(_gpugauge_commands $at)"})
      if (( ${rows[(I)$word:*]} )); then
        at+=" $word" count=0
      else
        (( count += 1 ))
      fi
    fi
  done
  word=${words[CURRENT]}
  if [[ -n $kind ]]; then
    _gpugauge_reply $kind
  elif [[ $word == --*=* ]]; then
    kind=$(_gpugauge_value "$at ${word%%=*}")
    compset -P 1 '*='
    _gpugauge_reply $kind
  elif [[ $word == -* ]]; then
    rows=(${(f)"$(_gpugauge_options $at)"})
    _describe option rows
  else
    rows=(${(f)"$(_gpugauge_commands $at)"})
    (( $#rows == 0 )) || _describe command rows
    kind=$(_gpugauge_argument $at $count)
    [[ -z $kind ]] || _gpugauge_reply $kind
  fi
}

if [[ ${funcstack[1]} == _gpugauge ]]; then
  _gpugauge "$@"
else
  compdef _gpugauge gpugauge
fi
)script";

/// In single quotes.
std::string zsh_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

std::string described(const std::string& name, const std::string& description) {
  return zsh_quoted(name + ":" + first_sentence(description));
}

}  // namespace

std::string zsh_completion(const DefinedCommand& command) {
  std::string commands;
  std::string options;
  std::string values;
  std::string arguments;
  const auto rows = [](const std::string& path, const std::vector<std::string>& lines) {
    return fmt::format("    '{}') print -rl -- {} ;;\n", path, fmt::join(lines, " \\\n      "));
  };
  for (const DefinedCommand* one : all_commands(command)) {
    std::vector<std::string> lines;
    for (const DefinedCommand& below : one->subcommands)
      lines.push_back(described(below.name, below.description));
    if (!lines.empty()) commands += rows(one->path, lines);
    lines.clear();
    for (const DefinedOption& option : one->options)
      for (const std::string& name : option.names) {
        lines.push_back(described(name, option.description));
        if (option.takes_value())
          values +=
              fmt::format("    '{} {}') print -r -- {} ;;\n", one->path, name, zsh_quoted(kind_text(option)));
      }
    options += rows(one->path, lines);
    for (std::size_t i = 0; i < one->arguments.size(); ++i) {
      const DefinedOption& argument = one->arguments[i];
      arguments +=
          fmt::format("    '{} '{}) print -r -- {} ;;\n", one->path,
                      argument.repeated ? "*" : fmt::format("{}", i), zsh_quoted(kind_text(argument)));
    }
  }
  const auto table = [](const char* name, const char* key, const std::string& text) {
    return fmt::format("\n_gpugauge_{}() {{\n  case {} in\n{}  esac\n}}\n", name, key, text);
  };
  return "#compdef gpugauge\n# zsh completion of gpugauge, written by `gpugauge completion zsh`.\n" +
         table("commands", "$1", commands) + table("options", "$1", options) + table("value", "$1", values) +
         table("argument", "\"$1 $2\"", arguments) + zsh_walker;
}

}  // namespace gpugauge::cli
