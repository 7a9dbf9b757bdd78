// Versions that a person says changed.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/told/told.hpp"
#include "diagnose/words.hpp"

namespace gpugauge::diagnose {
namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

struct Named {
  std::string_view word;       // as a whole word of the sentence
  std::string_view component;  // as in an observation's "changed"
};

constexpr std::array<Named, 17> components{{{"driver", "driver"},
                                            {"nccl", "nccl"},
                                            {"cudnn", "cudnn"},
                                            {"cublas", "cublas"},
                                            {"cuda", "cuda"},
                                            {"toolkit", "cuda"},
                                            {"torch", "framework"},
                                            {"pytorch", "framework"},
                                            {"tensorflow", "framework"},
                                            {"jax", "framework"},
                                            {"onnxruntime", "framework"},
                                            {"kernel", "os"},
                                            {"ollama", "application"},
                                            {"vllm", "application"},
                                            {"llama.cpp", "application"},
                                            {"sglang", "application"},
                                            {"blender", "application"}}};

/// The one component that the sentence names; nullopt where it names none or several.
std::optional<std::string> component_of(std::string_view sentence) {
  std::optional<std::string> out;
  for (const Named& one : components) {
    if (!contains_whole_words(sentence, one.word)) continue;
    if (out && *out != one.component) return std::nullopt;
    out = std::string(one.component);
  }
  return out;
}

/// A version at the start of the text: "535", "2.5.1+cu124", "v0.24.0". "" for a number that is none: "8 times".
std::string version_at(std::string_view text, bool whole) {
  std::size_t begin = !text.empty() && (text.front() == 'v' || text.front() == 'V') ? 1 : 0;
  std::size_t end = begin;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  std::string out(text.substr(begin, end - begin));
  while (!out.empty() && out.back() == '.') out.pop_back();
  const bool dotted = out.find('.') != std::string::npos;
  constexpr std::size_t branch_digits = 3;
  return dotted || (whole && out.size() == branch_digits) ? out : "";
}

/// The version behind the words, over the component's own name: "from PyTorch 2.3".
std::string version_behind(std::string_view sentence, std::string_view words, bool whole) {
  const std::string low = lower(sentence);
  for (std::size_t at = low.find(words); at != std::string::npos; at = low.find(words, at + 1)) {
    std::string_view rest = std::string_view(low).substr(at + words.size());
    constexpr int most_words_between = 3;
    for (int word = 0; word <= most_words_between && !rest.empty(); ++word) {
      if (std::string version = version_at(rest, whole); !version.empty()) return version;
      const std::size_t blank = rest.find(' ');
      if (blank == std::string_view::npos) break;
      rest.remove_prefix(blank + 1);
    }
  }
  return "";
}

std::optional<Change> change_of(std::string_view sentence, bool whole) {
  const auto made = [](const std::string& before, const std::string& after) -> std::optional<Change> {
    if (before.empty() || after.empty() || before == after) return std::nullopt;
    return Change{Value(before), Value(after)};
  };
  const std::string from = version_behind(sentence, "from ", whole);
  if (auto change = made(from, version_behind(sentence, " to ", whole))) return change;
  // "slower in torch 2.5.1 compared to 2.3.1"
  for (const std::string_view beside :
       {"compared to ", "compared with ", "than in ", "than with ", "than on ", "than "}) {
    const std::string before = version_behind(sentence, beside, whole);
    if (auto change = made(before, version_behind(sentence, " in ", whole))) return change;
    if (auto change = made(before, version_behind(sentence, " with ", whole))) return change;
  }
  return std::nullopt;
}

/// Versions directly behind the component's name, each once, in their order: "cuda 11.6 and cudnn 8.4.1".
std::vector<std::string> versions_of(std::string_view sentence, std::string_view word) {
  std::vector<std::string> out;
  const std::string low = lower(sentence);
  for (std::size_t at = low.find(word); at != std::string::npos; at = low.find(word, at + 1)) {
    if (at > 0 && is_of_name(low[at - 1])) continue;
    std::string_view rest = std::string_view(low).substr(at + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" =-"), rest.size()));
    const std::string version = version_at(rest, word == "driver");
    if (!version.empty() && std::find(out.begin(), out.end(), version) == out.end()) out.push_back(version);
  }
  return out;
}

}  // namespace

std::map<std::string, Change> changes_of(const TextLineList& sentences) {
  std::map<std::string, Change> out;
  for (const std::string& sentence : sentences) {
    // "longer with cuda 11.6 cudnn 8.4.1 than with cuda 11.3 cudnn 8.3.2"
    if (contains_any(sentence, {" than ", "compared to", "compared with"}))
      for (const Named& one : components)
        if (const auto versions = versions_of(sentence, one.word); versions.size() == 2)
          out.insert({std::string(one.component), Change{Value(versions.back()), Value(versions.front())}});
    const auto component = component_of(sentence);
    if (!component) continue;
    if (auto change = change_of(sentence, *component == "driver"))
      out.insert({*component, *std::move(change)});
  }
  return out;
}

}  // namespace gpugauge::diagnose
