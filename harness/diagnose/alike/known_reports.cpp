#include "diagnose/alike/known_reports.hpp"

#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "diagnose/alike/embedded.hpp"
#include "result/object_reader.hpp"
#include "result/text.hpp"

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
    const std::string name = fmt::format("{}observations/{}.json", folder, id);
    out.push_back({.id = id,
                   .set = *set == 0 ? letters_of(id) : set,
                   .causes = entry.at("accept"),
                   .source = entry.value("source", ""),
                   .established = entry.value("established", ""),
                   .seen = parse_observation(file(files, name), name)});
  }
}

/// A name stands in lines of a report: it is not blank, and moves nothing on a terminal.
void require_name(const std::string& name, const result::Place& place) {
  if (result::stripped(name).empty()) place.refuse("holds a blank name");
  if (result::one_line(name) != name)
    place.refuse(fmt::format("{} holds a control character", result::quoted(name)));
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

std::vector<KnownReport> parse_known_reports(const std::string& text, const std::string& origin) {
  const nlohmann::json file = result::parse_json(text, origin);
  result::ObjectReader reader(file, {origin, ""});
  result::require_schema(reader, known_reports_schema);
  std::vector<KnownReport> out;
  std::set<std::string> ids;
  reader.each("reports", [&](const nlohmann::json& value, const result::Place& place) {
    result::ObjectReader entry(value, place);
    KnownReport report;
    report.id = entry.text("id");
    report.set = "site";
    report.causes = entry.texts("causes");
    report.source = entry.optional_text("source");
    report.established = entry.optional_text("established");
    const result::Place seen = place.key("seen");
    report.seen =
        parse_observation(entry.object("seen").dump(), fmt::format("{}: {}", seen.origin, seen.path));
    entry.done();
    require_name(report.id, place.key("id"));
    for (const std::string& cause : report.causes) require_name(cause, place.key("causes"));
    if (report.causes.empty()) place.key("causes").refuse("is empty; a known report has a cause");
    if (!ids.insert(report.id).second) place.key("id").refuse("is the id of an earlier report, too");
    out.push_back(std::move(report));
  });
  reader.done();
  return out;
}

}  // namespace gpugauge::diagnose
