// Reads an image's environment and labels from text or JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "result/object_reader.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/plan/image_env.hpp"

namespace gpugauge::stack {
namespace {

using nlohmann::json;
using result::Place;

constexpr int depth_most = 64;

bool is_name(std::string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-/") ==
         std::string_view::npos;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    return text.substr(1, text.size() - 2);
  return text;
}

/// A label's name has dots ("com.nvidia.cudnn.version"), a variable's has none.
void assign(ImageEnvironment& image, std::string_view name, std::string_view value) {
  if (name == "image") {
    const auto at = value.find("@sha256:");
    if (at != std::string_view::npos) image.digests.emplace_back(value);
    if (at != 0) image.tags.emplace_back(value.substr(0, at));
    return;
  }
  auto& table = name.find('.') == std::string_view::npos ? image.variables : image.labels;
  table.insert_or_assign(std::string(name), std::string(value));
}

ImageEnvironment from_lines(const std::string& text, const std::string& origin) {
  ImageEnvironment image;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = stripped(std::string_view(text).substr(start, end - start));
    start = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    for (const std::string_view word : {"export ", "ENV ", "LABEL "}) {
      if (line.starts_with(word)) line = stripped(line.substr(word.size()));
    }
    const auto equals = line.find('=');
    const std::string_view name = equals == std::string_view::npos ? "" : stripped(line.substr(0, equals));
    if (!is_name(unquoted(name)))
      throw result::FormatError(fmt::format("{}: line {}: no NAME=value", origin, number));
    assign(image, unquoted(name), unquoted(stripped(line.substr(equals + 1))));
  }
  return image;
}

const json* member(const json& value, const char* name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() || found->is_null() ? nullptr : &*found;
}

void add_variables(ImageEnvironment& image, const json& list, const Place& place) {
  if (!list.is_array()) place.refuse("should be a list of NAME=value");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) place.index(i).refuse("should be text, NAME=value");
    const std::string entry = list[i].get<std::string>();
    const auto equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) place.index(i).refuse("is no NAME=value");
    image.variables.insert_or_assign(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

void add_labels(ImageEnvironment& image, const json& labels, const Place& place) {
  if (!labels.is_object()) place.refuse("should be an object of labels");
  for (const auto& [name, value] : labels.items()) {
    if (!value.is_string()) place.key(name).refuse("should be text");
    image.labels.insert_or_assign(name, value.get<std::string>());
  }
}

void add_names(std::vector<std::string>& names, const json* list, const Place& place) {
  if (list == nullptr) return;
  if (!list->is_array()) place.refuse("should be a list of names");
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_string()) place.index(i).refuse("should be text");
    names.push_back((*list)[i].get<std::string>());
  }
}

ImageEnvironment from_json(const std::string& text, const std::string& origin) {
  json value = result::parse_json(text, origin);
  Place place{origin, ""};
  if (value.is_array()) {
    if (value.size() != 1)
      place.refuse(fmt::format("holds {} images; one is judged at a time", value.size()));
    json first = value[0];
    value = std::move(first);
    place = place.index(0);
  }
  if (!value.is_object())
    place.refuse("should be what docker inspect prints of an image, or an object of labels");
  ImageEnvironment image;
  const json* config = member(value, "Config") != nullptr ? member(value, "Config") : member(value, "config");
  if (config == nullptr) {
    if (member(value, "Env") == nullptr) {  // an object of labels
      add_labels(image, value, place);
      return image;
    }
    config = &value;
  }
  if (const json* variables = member(*config, "Env"))
    add_variables(image, *variables, place.key("Config.Env"));
  if (const json* labels = member(*config, "Labels")) add_labels(image, *labels, place.key("Config.Labels"));
  add_names(image.tags, member(value, "RepoTags"), place.key("RepoTags"));
  add_names(image.digests, member(value, "RepoDigests"), place.key("RepoDigests"));
  return image;
}

/// Rejects nesting deeper than any image description, because it would cost stack.
bool too_deep(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > depth_most) return true;
  }
  return false;
}

}  // namespace

ImageEnvironment read_image_environment(const std::string& text, const std::string& origin) {
  if (text.size() > max_image_text)
    throw result::FormatError(
        fmt::format("{}: {} bytes are too many for an image's environment", origin, text.size()));
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    throw result::FormatError(fmt::format(
        "{}: the file is empty; it should hold lines NAME=value or what docker inspect prints", origin));
  if (text.find('\0') != std::string::npos)
    throw result::FormatError(fmt::format("{}: not a text file", origin));
  const bool is_json = text[first] == '{' || text[first] == '[';
  if (is_json && too_deep(text))
    throw result::FormatError(fmt::format("{}: nested deeper than {} levels", origin, depth_most));
  ImageEnvironment image = is_json ? from_json(text, origin) : from_lines(text, origin);
  if (image.variables.empty() && image.labels.empty())
    throw result::FormatError(fmt::format("{}: holds no variable and no label", origin));
  return image;
}

}  // namespace gpugauge::stack
