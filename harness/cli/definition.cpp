#include "cli/definition.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpugauge::cli {
namespace {

using Words = std::function<std::vector<std::string>()>;

std::map<const CLI::Option*, Words>& offers() {
  static std::map<const CLI::Option*, Words> instance;
  return instance;
}

/// "TEXT:{csv,jsonl}" is the value's name and what CLI11 checks it against.
std::vector<std::string> listed(const std::string& type) {
  std::vector<std::string> words;
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return words;
  std::size_t from = open + 1;
  while (from <= close) {
    const std::size_t to = std::min(type.find(',', from), close);
    words.push_back(type.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

ValueKind kind_of(const std::string& value, const std::vector<std::string>& words) {
  const bool joined =
      std::any_of(words.begin(), words.end(), [](const std::string& word) { return word.ends_with('='); });
  if (joined) return ValueKind::words_then_file;
  if (!words.empty()) return ValueKind::words;
  if (value.ends_with("DIR")) return ValueKind::folders;
  if (value.starts_with("FILE") || value.starts_with("PATH") || value == "RUN" || value == "LOCK")
    return ValueKind::files;
  return ValueKind::none;
}

DefinedOption read(const CLI::Option& option) {
  DefinedOption out;
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  if (!option.nonpositional()) out.argument = option.get_name(true);
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) {
    out.value = type.substr(0, type.find(':'));
    out.words = listed(type);
    out.only_these = !out.words.empty();
    if (out.value.empty()) out.value = "VALUE";
  }
  if (const auto found = offers().find(&option); found != offers().end()) out.words = found->second();
  out.kind = kind_of(out.value, out.words);
  out.description = option.get_description();
  out.preset = option.get_default_str();
  out.repeated = option.get_items_expected_max() > 1;
  out.required = option.get_required();
  return out;
}

DefinedCommand read(const CLI::App& app, const std::string& parent) {
  DefinedCommand out;
  out.name = app.get_name();
  out.path = parent.empty() ? out.name : parent + " " + out.name;
  out.description = app.get_description();
  out.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? out.options : out.arguments).push_back(read(*option));
  }
  for (const CLI::App* below : app.get_subcommands(std::function<bool(const CLI::App*)>{}))
    if (!below->get_group().empty()) out.subcommands.push_back(read(*below, out.path));
  return out;
}

}  // namespace

DefinedCommand definition(const CLI::App& app) {
  return read(app, "");
}

std::vector<const DefinedCommand*> all_commands(const DefinedCommand& command) {
  std::vector<const DefinedCommand*> out{&command};
  for (const DefinedCommand& below : command.subcommands) {
    const std::vector<const DefinedCommand*> more = all_commands(below);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

void offer(CLI::Option* option, Words words) {
  offers()[option] = std::move(words);
}

std::string kind_text(const DefinedOption& option) {
  switch (option.kind) {
    case ValueKind::words:
      return fmt::format("words {}", fmt::join(option.words, " "));
    case ValueKind::words_then_file:
      return fmt::format("words_then_file {}", fmt::join(option.words, " "));
    case ValueKind::files:
      return "files";
    case ValueKind::folders:
      return "folders";
    case ValueKind::none:
      break;
  }
  return "none";
}

std::string first_sentence(const std::string& description) {
  std::string line = description.substr(0, description.find('\n'));
  for (const char* const end : {". ", "; ", ": ", " ("}) line = line.substr(0, line.find(end));
  return line;
}

}  // namespace gpugauge::cli
