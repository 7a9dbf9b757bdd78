#include "result/path_list.hpp"

#include <fmt/format.h>

#include "result/error.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::result {

std::optional<std::vector<std::string>> parse_path_list(const std::string& text,
                                                        const std::filesystem::path& list) {
  if (const auto first = text.find_first_not_of(" \t\r\n"); first == std::string::npos || text[first] != '[')
    return std::nullopt;
  std::vector<std::string> out;
  for (const nlohmann::json& entry : parse_json(text, list.string())) {
    const std::string* const path = entry.get_ptr<const std::string*>();
    if (path == nullptr || path->empty() || path->find('\0') != std::string::npos)
      throw FormatError(fmt::format("{}: a list of run files is an array of paths", list.string()));
    out.push_back((list.parent_path() / *path).string());
  }
  return out;
}

}  // namespace gpugauge::result
