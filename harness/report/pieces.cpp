// Takes a text apart between words, but in no command.
#include "report/pieces.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace gpugauge::report {
namespace {

using Words = std::vector<std::string>;

template <typename List>
bool is_one_of(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Programs that next steps name. Most of these are English words too, or stand in prose as a name.
constexpr std::array<std::string_view, 23> programs{
    "apt-get",  "cat",     "cuobjdump",  "dkms",   "dmesg",    "dnf",   "echo",     "env",
    "gpugauge", "grep",    "ldconfig",   "ldd",    "ls",       "lsmod", "lspci",    "modprobe",
    "mokutil",  "numactl", "nvidia-smi", "python", "readlink", "rmmod", "systemctl"};
/// Words behind which a clause, and so a command, may begin.
constexpr std::array<std::string_view, 9> before_a_command{"Compare", "Run", "Then", "and", "or",
                                                           "read",    "run", "then", "with"};
/// Words that are no argument of a command that is named in prose.
constexpr std::array<std::string_view, 26> prose{
    "a",     "and",   "before", "beside", "does", "during", "for",   "if",   "in",
    "lists", "names", "of",     "on",     "once", "or",     "shows", "that", "the",
    "then",  "there", "to",     "until",  "when", "where",  "while", "with"};

std::string_view without_bracket(std::string_view word) {
  if (word.starts_with('(')) word.remove_prefix(1);
  return word;
}

/// The number of words of the code between backticks that begins with word `at`; 0 where none does.
std::size_t code_at(const Words& words, std::size_t at) {
  if (!without_bracket(words[at]).starts_with('`')) return 0;
  for (std::size_t i = at; i < words.size(); ++i) {
    const std::string_view word = without_bracket(words[i]);
    // Quotes `like this' of other programs are no code: the next one opens before this one was closed.
    if (i > at && word.starts_with('`')) return 0;
    if (word.find('`', i == at ? 1 : 0) != std::string_view::npos) return i - at + 1;
  }
  return 0;
}

bool clause_begins(const Words& words, std::size_t at) {
  if (at == 0 || words[at].starts_with('(')) return true;
  const std::string& before = words[at - 1];
  return std::string_view(":;,").find(before.back()) != std::string_view::npos ||
         is_one_of(before_a_command, before);
}

/// Likewise of a command in prose.
std::size_t command_at(const Words& words, std::size_t at) {
  const std::string_view first = without_bracket(words[at]);
  if (first != "sudo" && !(is_one_of(programs, first) && clause_begins(words, at))) return 0;
  char quote = 0;
  for (std::size_t i = at; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (i > at && quote == 0 && (word.starts_with('(') || is_one_of(prose, word))) return i - at;
    for (const char c : word) {
      if (quote == 0 && (c == '\'' || c == '"'))
        quote = c;
      else if (c == quote)
        quote = 0;
    }
    if (quote == 0 && std::string_view(";,:.)").find(word.back()) != std::string_view::npos)
      return i - at + 1;
  }
  return quote == 0 ? words.size() - at : 0;
}

}  // namespace

std::vector<std::string> pieces(std::string_view text) {
  std::istringstream stream{std::string(text)};
  Words words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  std::vector<std::string> out;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t count = std::max<std::size_t>({code_at(words, at), command_at(words, at), 1});
    std::string piece = words[at];
    for (std::size_t i = at + 1; i < at + count; ++i) piece += " " + words[i];
    out.push_back(std::move(piece));
    at += count;
  }
  return out;
}

}  // namespace gpugauge::report
