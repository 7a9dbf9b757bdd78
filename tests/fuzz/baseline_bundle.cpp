// Manifests, and exported baselines as `baseline import` takes them. A fuzzer finds no hashes: behind a first
// line "pinned" the hashes and sizes of what the bundle holds are put into its manifest.
#include <nlohmann/json.hpp>

#include "baseline/baseline.hpp"
#include "baseline/digest.hpp"
#include "baseline/transfer.hpp"
#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"

namespace gpugauge::fuzz {
namespace {

using nlohmann::json;

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The bundle with the hashes of its runs; as it was where it is no bundle.
std::string pinned(std::string_view bytes) {
  json bundle = json::parse(bytes, nullptr, false);
  if (!bundle.is_object() || !bundle["files"].is_object() || !bundle["files"]["baseline.json"].is_string())
    return std::string(bytes);
  json& files = bundle["files"];
  json manifest = json::parse(files["baseline.json"].get<std::string>(), nullptr, false);
  if (!manifest.is_object() || !manifest["entries"].is_array()) return std::string(bytes);
  for (json& entry : manifest["entries"]) {
    if (!entry.is_object() || !entry["file"].is_string() ||
        !files[entry["file"].get<std::string>()].is_string())
      continue;
    const std::string text = files[entry["file"].get<std::string>()].get<std::string>();
    entry["sha256"] = baseline::sha256(text);
    entry["bytes"] = text.size();
    accepted([&] {
      const result::Run run = result::parse_run(text, "run.json");
      entry["boot_id"] = run.boot_id;
      entry["started"] = run.started;
      manifest["key"] = baseline::key(run.fingerprint);
    });
  }
  files["baseline.json"] = dumped(manifest);
  return dumped(bundle);
}

void read(std::string_view bytes) {
  const bool manifest = comes_back(
      bytes, [](const std::string& text) { return baseline::parse_manifest(text, "baseline.json"); },
      [](const baseline::Manifest& one) { return baseline::to_json(one); });
  if (manifest) return;
  constexpr std::string_view mark = "pinned\n";
  const std::string text = bytes.starts_with(mark) ? pinned(bytes.substr(mark.size())) : std::string(bytes);
  static const Place place;
  place.clear();
  const auto take_in = [&](const std::string& from, const std::string& name) {
    return baseline::from_bundle(from, "export.json", place.path(), name, "", "2026-01-01T00:00:00Z");
  };
  baseline::Baseline imported;
  const bool made = accepted([&] { imported = take_in(text, ""); });
  std::size_t there = 0;
  for (const auto& entry : std::filesystem::directory_iterator(place.path())) {
    require(made && entry.path() == imported.folder, "an import left something beside the baseline");
    ++there;
  }
  require(there == (made ? 1U : 0U), made ? "an import made nothing" : "a refused import left something");
  if (!made) return;
  imported.provisional();
  const std::string exported = baseline::to_bundle(imported.folder);
  const std::string other = imported.folder.filename() == "again" ? "once_more" : "again";
  require(accepted([&] { take_in(exported, other); }), "what was exported cannot be imported");
}

const Target target("baseline_bundle", read);

}  // namespace
}  // namespace gpugauge::fuzz
