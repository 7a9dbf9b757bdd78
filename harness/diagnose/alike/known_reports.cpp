#include "diagnose/alike/known_reports.hpp"

#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "diagnose/alike/embedded.hpp"

namespace gpugauge::diagnose {
namespace {

using Files = std::map<std::string, std::string>;

const std::string& file(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end())
    throw std::logic_error(fmt::format("known reports: no file {} was compiled in", name));
  return found->second;
}

/// "AE04" -> "AE".
std::string letters_of(const std::string& id) {
  return id.substr(0, id.find_first_of("0123456789"));
}

/// Those of a folder: expected.json says what each established, observations/ID.json what it observed.
void read_folder(const Files& files, const std::string& folder, const char* set,
                 std::vector<KnownReport>& out) {
  const nlohmann::json expected = nlohmann::json::parse(file(files, folder + "expected.json"));
  for (const auto& [id, entry] : expected.items()) {
    const std::string name = folder + "observations/" + id + ".json";
    out.push_back({.id = id,
                   .set = *set == 0 ? letters_of(id) : set,
                   .causes = entry.at("accept"),
                   .source = entry.value("source", ""),
                   .established = entry.value("established", ""),
                   .seen = parse_observation(file(files, name), name)});
  }
}

}  // namespace

std::vector<KnownReport> known_reports() {
  Files files;
  for (stack::DataFile& one : embedded_reports()) files[one.name] = std::move(one.text);
  std::vector<KnownReport> out;
  read_folder(files, "", "given", out);
  read_folder(files, "independent/", "", out);
  for (const nlohmann::json& one : nlohmann::json::parse(file(files, "typical.json"))) {
    const std::string name = one.at("name");
    out.push_back({.id = name,
                   .set = "typical",
                   .causes = one.at("accept"),
                   .source = "",
                   .established = "",
                   .seen = parse_observation(one.at("seen").dump(), name)});
  }
  return out;
}

}  // namespace gpugauge::diagnose
