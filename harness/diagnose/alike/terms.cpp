#include "diagnose/alike/terms.hpp"

#include <nlohmann/json.hpp>

namespace gpugauge::diagnose {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Of the ASCII letters only: other bytes stay as they are.
std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

void add_words(const std::string& text, std::map<std::string, int>& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_letter(text[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) ++at;
    if (at - start > 1) ++out[text.substr(start, at - start)];
  }
}

void add(const std::string& path, const nlohmann::json& value, std::map<std::string, int>& out) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      add(path.empty() ? lower(key) : path + "." + lower(key), inner, out);
    return;
  }
  if (value.is_array()) {
    for (const nlohmann::json& inner : value) add(path, inner, out);
    return;
  }
  const std::string key = path + ":";
  ++out[key];
  if (!value.is_string()) {
    ++out[key + " " + value.dump()];
    return;
  }
  const std::string text = lower(value.get<std::string>());
  add_words(text, out);
  if (text.size() < whole_text_least) ++out[key + " " + text];
}

}  // namespace

std::map<std::string, int> terms(const Observation& observation) {
  nlohmann::json seen = nlohmann::json::parse(to_json(observation));
  seen.erase("schema");
  if (const auto about = seen.find("about"); about != seen.end()) about->erase("source");
  std::map<std::string, int> out;
  add("", seen, out);
  return out;
}

}  // namespace gpugauge::diagnose
