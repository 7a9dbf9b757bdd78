// Sentences of a person: what is wrong, and what was tried.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "diagnose/seen.hpp"
#include "diagnose/told/told.hpp"
#include "diagnose/words.hpp"

namespace gpugauge::diagnose {
namespace {

bool is_alphabetic(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// The words between blanks, without punctuation around them.
std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view around = ".,;:!?()\"'`*[]";
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t first = word.find_first_not_of(around);
    if (first == std::string_view::npos) continue;
    word = word.substr(first, word.find_last_not_of(around) - first + 1);
    out.push_back(word);
  }
  return out;
}

bool is_plain(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return is_alphabetic(c) || c == '\'' || c == '-'; });
}

/// The line is a program's: it begins with a time, a bracket or a comment, or holds a level.
bool is_logged(std::string_view line) {
  constexpr std::string_view program = "[|#$>/<{%+";
  if (program.find(line.front()) != std::string_view::npos) return true;
  constexpr std::array<std::string_view, 8> levels{"INFO",  "WARN",  "WARNING", "ERROR",
                                                   "DEBUG", "FATAL", "Warning", "UserWarning"};
  constexpr std::ptrdiff_t first_words = 6;
  const std::vector<std::string_view> words = words_of(line);
  const auto end = words.begin() + std::min<std::ptrdiff_t>(first_words, std::ssize(words));
  const bool level = std::any_of(words.begin(), end, [&](std::string_view word) {
    return std::find(levels.begin(), levels.end(), word) != levels.end();
  });
  return level || contains_any(line, {"level=", "Traceback", "error:", "warning:", "hint:", "note:"});
}

/// The sentence tells how it is, not how it may be.
bool is_stated_fact(std::string_view sentence) {
  return !contains_any_word(
      sentence, {"may ",    "might ",    "could ",  "can be",    "can cause", "will be",   "would ",
                 "should ", "recommend", "suggest", "consider",  "try ",      "please",    "in case",
                 "if you",  "you can",   "you may", "said that", "told me",   "colleague", "need "});
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

/// What the sentence says was set: "NAME=VALUE", "--flag"; behind "without" and "disabling" it is off.
std::vector<std::string> settings_in(std::string_view sentence) {
  constexpr std::array<std::string_view, 9> off{"without", "disabling", "disabled", "disable", "removing",
                                                "removed", "unsetting", "unset",    "off"};
  constexpr std::array<std::string_view, 4> passed{"the", "setting", "flag", "of"};
  std::vector<std::string> out;
  bool is_off = false;
  for (const std::string_view word : words_of(sentence)) {
    const std::string low = lower(word);
    if (std::find(off.begin(), off.end(), low) != off.end()) {
      is_off = true;
      continue;
    }
    if (std::find(passed.begin(), passed.end(), low) != passed.end()) continue;
    const std::size_t equals = word.find('=');
    const bool assigned = equals != std::string_view::npos && equals > 1 && equals + 1 < word.size() &&
                          is_alphabetic(word.front()) && word[equals + 1] != '=';
    const bool flag = word.starts_with("--") && word.size() > 3;
    const bool name = is_off && word.size() > 1 &&
                      (std::isupper(static_cast<unsigned char>(word[1])) != 0 || contains(word, "_"));
    if (assigned || flag || name)
      out.push_back(is_off && !assigned ? std::string(word) + "=off" : std::string(word));
    is_off = false;
  }
  return out;
}

const Words cured{"resolves",       "resolved it",   "resolved the",
                  "resolved my",    "fixes",         "fixed it",
                  "fixed the",      "fixed my",      "solves",
                  "solved it",      "solved the",    "solved my",
                  "cures",          "works fine",    "works well",
                  "it works",       "works around",  "work around",
                  "workaround",     "worked around", "helps",
                  "goes away",      "went away",     "goes well",
                  "went well",      "recovers",      "back to normal",
                  "is fast",        "as fast as",    "avoids the",
                  "does the trick", "vanishes",      "works as expected",
                  "works properly", "disappears"};
const Words not_cured{"n't help",     "not help",     "no effect",  "no difference", "without success",
                      "no change",    "nothing help", "n't work",   "not work",      "n't fix",
                      "not fix",      "not solve",    "n't solve",  "n't resolve",   "not resolve",
                      "n't cure",     "not cure",     "never",      "hoped",         "it stayed",
                      "same problem", "same error",   "same issue", "same result",   "still slow",
                      "still hang",   "n't change",   "not change"};

/// The sentence denies a fault, or tells of one that is over or that is as it should be.
bool is_all_right(std::string_view sentence) {
  return contains_any(sentence, {"no longer", "nothing is", "nothing was", "nothing hangs", "never ",
                                 "not slow", "was fixed", "is fixed", "were fixed", "fine now", "is expected",
                                 "as expected", "works fine", "is good", "is the best", "faster"});
}

/// Slowness in the words of who suffers it. What takes hours may be meant to.
const Words slow_words{"slow",
                       "regress",
                       "degrad",
                       "crawl",
                       "sluggish",
                       "underperf",
                       "times longer",
                       "longer than",
                       "more than one minute",
                       "takes very long",
                       "takes long",
                       "low performance",
                       "high latency",
                       "low throughput",
                       "low speed",
                       "bad performance",
                       "abnormal",
                       "GB/s instead of",
                       "tokens/s instead of",
                       "takes forever",
                       "takes too long",
                       "taking around * minutes",
                       "taking * minutes",
                       "crazy amount of time",
                       "jumps from * to over",
                       "twice as long",
                       "time doubles",
                       "speed*decrease",
                       "no performance gain",
                       "not result in any performance gain",
                       "no speedup",
                       "no speed-up"};

}  // namespace

TextLineList sentences_of(const TextLineList& lines) {
  constexpr std::array<std::string_view, 24> common{
      "the", "a",    "an",   "is",  "was", "are", "when", "with", "but", "and", "to",   "of",
      "it",  "that", "this", "not", "my",  "we",  "only", "on",   "in",  "i",   "than", "after"};
  constexpr std::size_t fewest_words = 4;
  constexpr std::size_t fewest_common = 1;
  constexpr double most_plain = .65;
  constexpr double title_plain = .5;
  TextLineList out;
  for (const std::string& line : lines) {
    // A title names more than it tells.
    const bool title = &line == &lines.front();
    const double plain_needed = title ? title_plain : most_plain;
    std::size_t begin = line.find_first_not_of(" -*\t");
    // "[BUG] Slow since the upgrade"
    if (title && line.starts_with('[') && line.find(']') != std::string::npos)
      begin = line.find_first_not_of(" :", line.find(']') + 1);
    if (begin == std::string::npos || is_logged(std::string_view(line).substr(begin))) continue;
    std::string_view rest = std::string_view(line).substr(begin);
    while (!rest.empty()) {
      std::size_t end = rest.size();
      for (const std::string_view stop : {". ", "! ", "? "}) end = std::min(end, rest.find(stop));
      const std::string_view sentence = rest.substr(0, std::min(end + 1, rest.size()));
      rest.remove_prefix(std::min(end + 2, rest.size()));
      const std::vector<std::string_view> words = words_of(sentence);
      const auto plain = static_cast<double>(std::count_if(words.begin(), words.end(), is_plain));
      const auto known = std::count_if(words.begin(), words.end(), [&](std::string_view word) {
        return std::find(common.begin(), common.end(), lower(word)) != common.end();
      });
      if (words.size() >= fewest_words && (title || static_cast<std::size_t>(known) >= fewest_common) &&
          plain >= plain_needed * static_cast<double>(words.size()))
        out.emplace_back(sentence);
    }
  }
  return out;
}

std::vector<Metric> complaints_of(const TextLineList& sentences) {
  std::optional<Metric> slower;
  std::optional<Metric> hangs;
  for (const std::string& sentence : sentences) {
    if (!is_stated_fact(sentence) || is_all_right(sentence)) continue;
    Metric figure;
    figure.metric_class = "application";
    figure.note = sentence;
    if (contains_any(sentence, {"first call", "initial call", "first inference", "first run", "first launch",
                                "first time"}))
      figure.scope.phase = "first_call";
    else if (contains_any(sentence, {"startup", "start-up", "starting up", "to start", "starting the",
                                     "to load", "to import", "first tensor"}))
      figure.scope.phase = "startup";
    if (!slower && contains_any_affirmed(sentence, slow_words)) {
      slower = figure;
      slower->judged = "slower";
    } else if (!hangs &&
               contains_any_affirmed(sentence, {"hangs", "hang ", "hanging", "hung", "stuck", "freezes",
                                                "frozen", "deadlock", "never returns"})) {
      hangs = figure;
      hangs->fails = true;
    }
  }
  std::vector<Metric> out;
  for (const auto& one : {slower, hangs})
    if (one) out.push_back(*one);
  return out;
}

std::vector<Probe> tried_of(const TextLineList& sentences) {
  std::vector<Probe> out;
  for (const std::string& sentence : sentences) {
    if (sentence.ends_with('?') || !is_stated_fact(sentence)) continue;
    const bool in_vain = contains_any(sentence, not_cured);
    if (!in_vain && !contains_any_affirmed(sentence, cured)) continue;
    const std::vector<std::string> settings = settings_in(sentence);
    if (settings.empty()) continue;
    out.push_back({.name = "change_setting",
                   .outcome = in_vain ? "no_change" : "recovers",
                   .detail = joined(settings)});
  }
  return out;
}

}  // namespace gpugauge::diagnose
