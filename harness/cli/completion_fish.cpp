// The completion for fish: one line an option, under the condition that the words so far chose its command.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/definition.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* fish_walker = R"script(
# Whether the words before the cursor chose the command $argv.
function __gpugauge_at
    set -l chosen gpugauge
    set -l value no
    for word in (commandline -opc)[2..-1]
        if test $value = yes
            set value no
        else if string match -q -- '--*=*' $word
            continue
        else if string match -q -- '-*' $word
            contains -- "$chosen $word" $__gpugauge_valued; and set value yes
        else if contains -- "$chosen $word" $__gpugauge_commands
            set chosen "$chosen $word"
        end
    end
    test "$chosen" = "$argv"
end

complete -c gpugauge -f
)script";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// What follows -c gpugauge -n CONDITION and a name.
std::string value_text(const DefinedOption& option) {
  switch (option.kind) {
    case ValueKind::words:
    case ValueKind::words_then_file:
      return fmt::format(" -a {}", quoted(fmt::format("{}", fmt::join(option.words, " "))));
    case ValueKind::files:
      return " -F";
    case ValueKind::folders:
      return " -a '(__fish_complete_directories)'";
    case ValueKind::none:
      break;
  }
  return "";
}

std::string line(const DefinedCommand& command, const DefinedOption& option) {
  std::string out = fmt::format("complete -c gpugauge -n '__gpugauge_at {}'", command.path);
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value() && !option.names.empty())
    out += option.kind == ValueKind::files || option.kind == ValueKind::words_then_file ? " -r" : " -x";
  out += value_text(option);
  if (!option.names.empty() || option.kind == ValueKind::words)
    out += " -d " + quoted(first_sentence(option.description));
  return out + "\n";
}

}  // namespace

std::string fish_completion(const DefinedCommand& command) {
  std::string lines;
  std::vector<std::string> commands;
  std::vector<std::string> valued;
  for (const DefinedCommand* one : all_commands(command)) {
    if (one != &command) commands.push_back(quoted(one->path));
    for (const DefinedCommand& below : one->subcommands)
      lines += fmt::format("complete -c gpugauge -n '__gpugauge_at {}' -a {} -d {}\n", one->path, below.name,
                           quoted(first_sentence(below.description)));
    for (const DefinedOption& option : one->options) {
      lines += line(*one, option);
      if (option.takes_value())
        for (const std::string& name : option.names) valued.push_back(quoted(one->path + " " + name));
    }
    for (const DefinedOption& argument : one->arguments)
      if (argument.kind != ValueKind::none) lines += line(*one, argument);
  }
  return fmt::format(
             "# fish completion of gpugauge, written by `gpugauge completion fish`.\n"
             "set -g __gpugauge_commands {}\nset -g __gpugauge_valued {}\n",
             fmt::join(commands, " "), fmt::join(valued, " ")) +
         fish_walker + lines;
}

}  // namespace gpugauge::cli
