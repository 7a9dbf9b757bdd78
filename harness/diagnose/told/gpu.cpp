// The GPU that a text names.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "diagnose/causes/gpu_model.hpp"
#include "diagnose/told/told.hpp"
#include "stack/plan/plan_gpu_models.hpp"

namespace gpugauge::diagnose {
namespace {

/// A letter and a digit or two are a GPU only behind its maker's names: "T4" is also a cell of a table.
bool is_short(std::string_view name) {
  constexpr std::size_t short_name = 3;
  return name.size() < short_name;
}

std::vector<std::string> tokens_of(const std::string& line) {
  std::vector<std::string> out;
  std::string token;
  for (const char c : line + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.') {
      token += c;
      continue;
    }
    while (!token.empty() && (token.back() == '.' || token.back() == '-')) token.pop_back();
    if (!token.empty()) out.push_back(std::exchange(token, ""));
    token.clear();
  }
  return out;
}

/// A vGPU is named by its board and a profile: "A30-24C".
bool is_profile(const std::string& token) {
  return is_vgpu_profile(token) && stack::gpu_model(token.substr(0, token.rfind('-'))).has_value();
}

/// The model that begins at this token, by the longest name; "" where none does.
std::string model_at(const std::vector<std::string>& tokens, std::size_t at) {
  constexpr std::size_t most_words = 5;
  const char first = tokens[at].front();
  if (std::isupper(static_cast<unsigned char>(first)) == 0 || tokens[at].starts_with("SM_")) return "";
  if (is_profile(tokens[at])) return tokens[at];
  for (std::size_t words = std::min(most_words, tokens.size() - at); words > 0; --words) {
    std::string text;
    for (std::size_t i = at; i < at + words; ++i) text += (text.empty() ? "" : " ") + tokens[i];
    if (const auto model = stack::gpu_model(text)) {
      constexpr std::array<std::string_view, 5> makers{"NVIDIA", "Nvidia", "Tesla", "nvidia", "TESLA"};
      const bool made = at > 0 && std::find(makers.begin(), makers.end(), tokens[at - 1]) != makers.end();
      const bool itself = std::find(makers.begin(), makers.end(), tokens[at]) != makers.end();
      if (is_short(model->name) && !made && !itself) return "";
      return model->name;
    }
  }
  return "";
}

}  // namespace

std::string gpu_of(const TextLineList& lines) {
  std::string out;
  for (const std::string& line : lines) {
    const std::vector<std::string> tokens = tokens_of(line);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const std::string model = model_at(tokens, at);
      if (model.empty()) continue;
      if (!out.empty() && out != model) return "";
      out = model;
    }
  }
  return out;
}

}  // namespace gpugauge::diagnose
