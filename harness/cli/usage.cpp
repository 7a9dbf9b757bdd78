#include "cli/usage.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/error.hpp"
#include "result/near.hpp"

namespace gpugauge::cli {
namespace {

/// Why a line could not be parsed whose subcommand or first option does not exist, which CLI11 does not name;
/// "" for any other reason.
std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* here = &app;
  std::string path = "gpugauge";
  for (std::size_t i = 1; i < words.size() && here->get_require_subcommand_min() > 0; ++i) {
    const std::string& word = words[i];
    if (word.starts_with("-")) {
      if (here->get_option_no_throw(word.substr(0, word.find('='))) == nullptr)
        return fmt::format("{} has no option {}", path, word);
      continue;
    }
    const CLI::App* chosen = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* sub : here->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() == word) chosen = sub;
      if (!sub->get_group().empty()) names.push_back(sub->get_name());
    }
    if (chosen == nullptr) {
      const std::vector<std::string> near = result::nearest(word, names);
      return fmt::format("{} has no subcommand {}; {}: {}", path, word,
                         near.empty() ? "there are" : "near to it",
                         fmt::join(near.empty() ? names : near, ", "));
    }
    here = chosen;
    path += " " + word;
  }
  return "";
}

/// The subcommand that the words lead to, and the words that name it.
std::pair<const CLI::App*, std::string> named_command(const CLI::App& app,
                                                      const std::vector<std::string>& words) {
  std::pair<const CLI::App*, std::string> out{&app, "gpugauge"};
  for (std::size_t i = 1; i < words.size(); ++i)
    for (const CLI::App* sub : out.first->get_subcommands([](const CLI::App*) { return true; }))
      if (sub->get_name() == words[i]) {
        out = {sub, out.second + " " + words[i]};
        break;
      }
  return out;
}

/// "gpugauge check has no option --devise; near to it: --device"; "" where each option is known or none is
/// near to one.
std::string unknown_option(const CLI::App& app, const std::vector<std::string>& words) {
  const auto [command, path] = named_command(app, words);
  std::vector<std::string> names;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || name.size() == 2 || command->get_option_no_throw(name) != nullptr)
      continue;
    if (const std::vector<std::string> near = result::nearest(name, names); !near.empty())
      return fmt::format("{} has no option {}; near to it: {}", path, name, fmt::join(near, ", "));
  }
  return "";
}

/// CLI11 names what it did not expect in an order of its own: here as it was given.
std::string as_given(const std::string& text, const std::vector<std::string>& words) {
  const std::size_t at = text.rfind(": ");
  if (at == std::string::npos) return text;
  std::istringstream listed(text.substr(at + 2));
  const std::multiset<std::string> extra{std::istream_iterator<std::string>(listed), {}};
  std::vector<std::string> ordered;
  for (const std::string& word : words)
    if (extra.count(word) > 0) ordered.push_back(word);
  return ordered.size() == extra.size() ? fmt::format("{}: {}", text.substr(0, at), fmt::join(ordered, " "))
                                        : text;
}

/// What CLI11 says of an option and its value, and how it is said here.
struct Rewording {
  const char* pattern;
  const char* ours;
  bool ends_with_list = false;  ///< ours ends with the last group, a list, which CLI11 writes without blanks
};

std::string with_blanks(const std::string& list) {
  return list.find(", ") == std::string::npos ? std::regex_replace(list, std::regex(","), ", ") : list;
}

/// The first that fits the whole text counts; what is in none of them is said as it is.
std::string in_our_words(const std::string& text) {
  static const std::vector<Rewording> rewordings{
      {"Could not convert: (\\S+) = (.*)", "$1: '$2' is no number that it takes"},
      {"The value (.*) is not an allowed value for (\\S+)", "$2: '$1' is no value that it takes"},
      {"(\\S+): Value (\\S+) not in range \\[?(\\S+) (?:to|-) ([^\\s\\]]+)\\]?",
       "$1: '$2' is no number from $3 to $4"},
      {"(\\S+): Value (.*) could not be converted", "$1: '$2' is no number that it takes"},
      {"(\\S+): (.*) not in \\{(.*)\\}", "$1: there is no '$2'; there are $3", true},
      {"(\\S+): At Most (\\d+) required but received (\\d+)", "$1: $3 given, and it takes $2 at most"},
      {"(\\S+): At least (\\d+) required but received (\\d+)", "$1: $3 given, and it takes $2 or more"},
      {"(\\S+): (\\d+) required (.*) missing", "$1 is given without its value ($3)"},
      {"Expected (?:exactly|at least) (\\d+) arguments to (\\S+), got (\\d+)",
       "$2: $3 given, and it takes $1"},
      {"(\\S+) was given a disallowed flag override", "$1 takes no value"},
      {"The following arguments? (?:was|were) not expected: (.*)", "this was not expected: $1"},
      {"A subcommand is required", "no subcommand is given"},
  };
  for (const Rewording& one : rewordings) {
    std::smatch found;
    if (!std::regex_match(text, found, std::regex(one.pattern))) continue;
    std::string out = found.format(one.ours);
    if (!one.ends_with_list) return out;
    const std::string list = found.str(found.size() - 1);
    out.resize(out.size() - list.size());
    return out + with_blanks(list);
  }
  return text;
}

/// Without the zeros that stand behind a number of CLI11's.
std::string tidied(const std::string& text) {
  static const std::regex zeros("(\\d+)\\.0{6}\\b");
  return std::regex_replace(text, zeros, "$1");
}

}  // namespace

std::string usage_fault(const CLI::App& app, const CLI::Error& error, const std::vector<std::string>& words) {
  const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  std::string text = unknown_word(app, words);
  if (text.empty() && unexpected)
    text = result::one_line(unknown_option(app, words), result::longest_sentence);
  if (text.empty()) {
    text = error.what();
    if (unexpected) text = as_given(text, words);
    text = result::one_line(text, result::longest_sentence);
    text = in_our_words(tidied(text));
  }
  return fmt::format("{}; see `{} --help`", text, named_command(app, words).second);
}

std::string empty_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() && option->get_lnames().empty()) continue;
    const auto& values = option->results();
    if (option->get_expected_max() > 0 && std::find(values.begin(), values.end(), "") != values.end())
      return fmt::format("{} was given an empty value; is a variable not set? {}", option->get_name(),
                         option->get_required() ? "It needs one" : "Leave the option out, or give its value");
  }
  for (const CLI::App* chosen : app.get_subcommands())
    if (std::string found = empty_value(*chosen); !found.empty()) return found;
  return "";
}

}  // namespace gpugauge::cli
