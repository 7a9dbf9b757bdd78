#include "diagnose/alike/terms.hpp"

#include <nlohmann/json.hpp>

#include "result/text.hpp"

namespace gpugauge::diagnose {
namespace {

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || c == '_';
}

void add_words(const std::string& text, std::map<std::string, int>& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!begins_word(text[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && (begins_word(text[at]) || result::is_digit(text[at]))) ++at;
    if (at - start > 1) ++out[text.substr(start, at - start)];
  }
}

void add(const std::string& path, const nlohmann::json& value, std::map<std::string, int>& out) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      add(path.empty() ? result::lower(key) : path + "." + result::lower(key), inner, out);
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
  const std::string text = result::lower(value.get<std::string>());
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
