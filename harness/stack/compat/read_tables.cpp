// The strict reader of the data files. Refuses what is unknown, missing, of another type or without a source,
// naming file and row.
#include <functional>
#include <map>

#include <fmt/format.h>

#include "result/cuda_error.hpp"
#include "result/object_reader.hpp"
#include "stack/compat/tables.hpp"

namespace gpugauge::stack {
namespace {

using nlohmann::json;
using result::Place;

/// Accepts only digits and dots, so that no part of a cell is silently ignored.
Version version_in(const std::string& text, const Place& place) {
  const bool plain =
      text.find_first_not_of("0123456789.") == std::string::npos && text.find("..") == std::string::npos;
  const auto version =
      plain && !text.starts_with('.') && !text.ends_with('.') ? Version::parse(text) : std::nullopt;
  if (!version) place.refuse(fmt::format("should be a version such as 12.8 and is '{:.40}'", text));
  return *version;
}

/// One row of a table, read key by key.
class Row {
 public:
  Row(const json& value, const Place& place) : reader_(value, place) {}

  std::string text(const std::string& key) {
    std::string text = reader_.text(key);
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) at(key).refuse("is empty");
    return text;
  }
  std::string text_or_empty(const std::string& key) { return reader_.text(key); }
  std::string optional_text(const std::string& key) { return has(key) ? text(key) : ""; }

  int whole(const std::string& key) {
    reader_.integer(key);
    const int number = *reader_.optional_integer(key);
    if (number < 0) at(key).refuse("should be 0 or more");
    return number;
  }
  std::optional<int> optional_whole(const std::string& key) {
    return has(key) ? std::optional(whole(key)) : std::nullopt;
  }
  bool boolean(const std::string& key) { return reader_.boolean(key); }

  Version version(const std::string& key) { return version_in(text(key), at(key)); }
  std::optional<Version> optional_version(const std::string& key) {
    return has(key) ? std::optional(version(key)) : std::nullopt;
  }
  std::vector<Version> versions(const std::string& key) {
    std::vector<Version> versions;
    for (const std::string& text : texts(key)) versions.push_back(version_in(text, at(key)));
    return versions;
  }
  std::vector<std::string> texts(const std::string& key) { return reader_.texts(key); }
  VersionRange range(const std::string& key) {
    Row bounds(reader_.object(key), at(key));
    VersionRange range{bounds.optional_version("least"), bounds.optional_version("most")};
    bounds.done();
    if (range.least && range.most && !range.contains(*range.least))
      at(key).refuse(fmt::format("ends at {}, before it begins", range.most->text()));
    return range;
  }
  Source source() { return {text("source"), boolean("read")}; }

  bool has(const std::string& key) { return reader_.optional(key) != nullptr; }
  template <typename Function>
  void each(const std::string& key, const Function& function) {
    reader_.each(key, [&](const json& value, const Place& place) {
      Row row(value, place);
      function(row);
      row.done();
    });
  }
  Place at(const std::string& key) const { return place().key(key); }
  const Place& place() const { return reader_.place(); }
  void done() const { reader_.done(); }

 private:
  result::ObjectReader reader_;
};

/// The explanation that error_codes.json adds to a name in error_names.json.
struct Explanation {
  std::vector<std::string> apis;
  ErrorCode code;
  Place place;
};

struct Reading {
  Tables tables;
  std::vector<Explanation> explanations;
};

std::string api_in(const std::string& api, const Place& place) {
  if (api != "runtime" && api != "driver" && api != "nvml")
    place.refuse(fmt::format("should be runtime, driver or nvml and is '{:.40}'", api));
  return api;
}

// Braced initialisers evaluate from left to right, so the error names the first fault of a row.

void read_toolkit_driver(Row& row, Reading& to) {
  to.tables.toolkit_drivers.push_back({row.version("cuda"), row.whole("update"), row.text("release"),
                                       row.version("native_driver"), row.source()});
}

void read_minimum_driver(Row& row, Reading& to) {
  to.tables.minimum_drivers.push_back({row.whole("cuda_major"), row.version("driver"), row.source()});
}

void read_architecture(Row& row, Reading& to) {
  to.tables.architectures.push_back({row.text("name"), row.version("compute_capability"),
                                     row.version("first_cuda"), row.optional_version("last_cuda"),
                                     row.optional_whole("last_driver_branch"),
                                     row.optional_version("first_driver"), row.source()});
  const Architecture& read = to.tables.architectures.back();
  if (read.last_cuda && *read.last_cuda < read.first_cuda)
    row.at("last_cuda").refuse("comes before first_cuda");
}

void read_gpu_listing(Row& row, Reading& to) {
  to.tables.gpu_listings.push_back({row.texts("models"), row.version("compute_capability"),
                                    row.versions("listed"), row.optional_version("required"), row.source()});
  const GpuListing& read = to.tables.gpu_listings.back();
  if (read.models.empty()) row.at("models").refuse("is empty");
  if (read.listed.empty()) row.at("listed").refuse("is empty");
  for (std::size_t i = 1; i < read.listed.size(); ++i)
    if (read.listed[i].major() <= read.listed[i - 1].major())
      row.at("listed").refuse("should name each branch once, oldest first");
}

void read_cudnn(Row& row, Reading& to) {
  to.tables.cudnn.push_back({row.version("cudnn"), row.whole("cuda_major"), row.versions("cuda"),
                             row.version("driver"), row.versions("compute_capabilities"), row.source()});
}

void read_nccl(Row& row, Reading& to) {
  to.tables.nccl.push_back(
      {row.range("nccl"), row.whole("cuda_major_least"), row.whole("cuda_major_most"), row.source()});
  if (to.tables.nccl.back().cuda_major_most < to.tables.nccl.back().cuda_major_least)
    row.at("cuda_major_most").refuse("comes before cuda_major_least");
}

void read_known_issue(Row& row, Reading& to) {
  to.tables.known_issues.push_back({row.text("layer"), row.range("versions"), row.text("issue"),
                                    row.optional_version("fixed"), row.source()});
  KnownIssue& read = to.tables.known_issues.back();
  if (row.has("gpus")) read.gpus = row.texts("gpus");
  if (row.has("compute_capability")) read.compute_capability = row.range("compute_capability");
  read.processor = row.optional_text("processor");
  read.gpus_least = row.optional_whole("gpus_least").value_or(0);
  if (read.fixed && read.versions.contains(*read.fixed)) row.at("fixed").refuse("lies within versions");
}

void read_driver_branch(Row& row, Reading& to) {
  to.tables.driver_branches.push_back(
      {row.whole("branch"), row.text_or_empty("kind"), row.text_or_empty("end_of_life"), row.boolean("ended"),
       row.optional_version("latest"), row.optional_text("latest_date"), row.optional_version("cuda_max"),
       row.source(), row.has("counted") && row.boolean("counted")});
}

void read_host_compiler(Row& row, Reading& to) {
  to.tables.host_compilers.push_back({row.text("compiler"), row.range("cuda"), row.version("most"),
                                      row.source(), row.optional_version("least")});
}

CudnnFigure cudnn_figure(Row& row) {
  const std::string word = row.optional_text("cudnn_is");
  if (word.empty()) return CudnnFigure::built;
  if (word != "least" && word != "optional")
    row.at("cudnn_is").refuse(fmt::format("should be least or optional and is '{:.40}'", word));
  return word == "least" ? CudnnFigure::least : CudnnFigure::optional;
}

void read_framework(Row& row, Reading& to) {
  to.tables.frameworks.push_back({row.text("framework"), row.version("version"), row.versions("cuda"),
                                  row.optional_version("cudnn"), row.optional_version("nccl"),
                                  row.text_or_empty("python"), row.versions("compute_capabilities"),
                                  row.text_or_empty("note"), row.source()});
  to.tables.frameworks.back().cudnn_is = cudnn_figure(row);
  if (!row.has("wheels")) return;
  row.each("wheels", [&](Row& wheel) {
    to.tables.frameworks.back().wheels.push_back(
        {wheel.version("cuda"), wheel.optional_version("cudnn"), wheel.optional_version("nccl"),
         wheel.has("compute_capabilities") ? wheel.versions("compute_capabilities")
                                           : std::vector<Version>{}});
  });
}

void read_system(Row& row, Reading& to) {
  to.tables.systems.push_back(
      {row.text("distribution"), row.range("cuda"), row.text_or_empty("note"), row.source()});
}

void read_kernel(Row& row, Reading& to) {
  to.tables.kernels.push_back({row.version("driver"), row.range("kernel"), row.source()});
}

void read_vgpu_release(Row& row, Reading& to) {
  to.tables.vgpu_releases.push_back({row.whole("release"), row.whole("branch"), row.source()});
}

void read_vgpu(Row& row, Reading& to) {
  to.tables.vgpu.push_back({row.range("guest"), row.range("host"), row.source()});
}

void read_error_name(Row& row, Reading& to) {
  ErrorCode code;
  code.api = api_in(row.text("api"), row.at("api"));
  code.code = row.whole("code");
  code.name = row.text("name");
  code.source = row.source();
  to.tables.error_codes.push_back(std::move(code));
}

void read_error_code(Row& row, Reading& to) {
  Explanation read{row.texts("apis"), {}, row.place()};
  for (const std::string& api : read.apis) api_in(api, row.at("apis"));
  read.code.code = row.whole("code");
  read.code.meaning = row.optional_text("meaning");
  read.code.causes = row.texts("causes");
  read.code.next = row.texts("next");
  read.code.source = row.source();
  to.explanations.push_back(std::move(read));
}

void read_rule(Row& row, Reading& to) {
  to.tables.rules.push_back({row.text("subject"), row.text("rule"), row.source()});
}

using ReadRow = void (*)(Row&, Reading&);

ReadRow reader_of(const std::string& table) {
  static const std::map<std::string, ReadRow> readers{{"toolkit_drivers", read_toolkit_driver},
                                                      {"minimum_drivers", read_minimum_driver},
                                                      {"architectures", read_architecture},
                                                      {"gpu_listings", read_gpu_listing},
                                                      {"cudnn", read_cudnn},
                                                      {"nccl", read_nccl},
                                                      {"known_issues", read_known_issue},
                                                      {"driver_branches", read_driver_branch},
                                                      {"host_compilers", read_host_compiler},
                                                      {"frameworks", read_framework},
                                                      {"systems", read_system},
                                                      {"kernels", read_kernel},
                                                      {"vgpu_releases", read_vgpu_release},
                                                      {"vgpu", read_vgpu},
                                                      {"error_names", read_error_name},
                                                      {"error_codes", read_error_code},
                                                      {"stated_rules", read_rule}};
  const auto found = readers.find(table);
  return found == readers.end() ? nullptr : found->second;
}

/// Adds the meanings to the names. Errors at a program's start are explained in result/cuda_error, so the
/// data need not repeat them.
void explain(Reading& reading) {
  for (const Explanation& explanation : reading.explanations) {
    for (const std::string& api : explanation.apis) {
      ErrorCode* named = nullptr;
      for (ErrorCode& row : reading.tables.error_codes)
        if (row.api == api && row.code == explanation.code.code) named = &row;
      if (named == nullptr)
        explanation.place.refuse(
            fmt::format("the {} API has no code {} among the names", api, explanation.code.code));
      const std::string name = named->name;
      *named = explanation.code;
      named->api = api;
      named->name = name;
    }
  }
  for (ErrorCode& row : reading.tables.error_codes) {
    if (row.api == "nvml") continue;
    const auto known = result::explain_cuda_error(row.code);
    if (!known) continue;
    if (row.meaning.empty()) row.meaning = known->meaning;
    if (row.next.empty()) row.next.emplace_back(known->next);
  }
  for (const Explanation& explanation : reading.explanations)
    for (const std::string& api : explanation.apis)
      if (reading.tables.error(api, explanation.code.code)->meaning.empty())
        explanation.place.refuse("the key 'meaning' is missing, and nothing else explains this code");
}

}  // namespace

Tables read_tables(const std::vector<DataFile>& files) {
  Reading reading;
  std::map<std::string, std::string> read;  // table -> file
  for (const DataFile& file : files) {
    const json document = result::parse_json(file.text, file.name);
    result::ObjectReader reader(document, {file.name, ""});
    const std::string table = reader.text("table");
    const ReadRow read_row = reader_of(table);
    if (read_row == nullptr)
      reader.place().key("table").refuse(fmt::format("there is no table '{:.40}'", table));
    if (const auto [at, added] = read.emplace(table, file.name); !added)
      reader.place().key("table").refuse(fmt::format("{} holds this table already", at->second));
    reader.each("rows", [&](const json& value, const Place& place) {
      Row row(value, place);
      read_row(row, reading);
      row.done();
    });
    reader.done();
  }
  explain(reading);
  return std::move(reading.tables);
}

}  // namespace gpugauge::stack
