// Run files, sample files and lists of them, as `compare`, `fleet`, `history` and every measurement read
// them.
#include "result/run_file.hpp"

#include <optional>

#include "fuzz/support/target.hpp"
#include "result/path_list.hpp"
#include "result/run_reader.hpp"
#include "stack/inventory/from_run.hpp"
#include "stack/plan/rollout.hpp"
#include "store/record.hpp"

namespace gpugauge::fuzz {
namespace {

const auto write_run = [](const result::Run& run) { return result::to_json(run); };
const auto write_samples = [](const result::Samples& samples) { return result::to_json(samples); };

void read(std::string_view bytes) {
  const std::string text(bytes);
  std::optional<std::vector<std::string>> paths;
  if (accepted([&] { paths = result::parse_path_list(text, "lists/of-runs.json"); }) && paths)
    for (const std::string& path : *paths)
      require(!path.empty() && path.find('\0') == std::string::npos, "a path that leads nowhere");
  comes_back(
      bytes, [](const std::string& from) { return result::parse_samples(from, "samples.json"); },
      write_samples);
  const bool whole = comes_back(
      bytes, [](const std::string& from) { return result::parse_run(from, "run.json"); }, write_run);

  // Into a run that held another file before: nothing of that may be left.
  static result::Run used;
  const bool into_used = accepted([&] { result::parse_run(text, "run.json", result::Detail::all, used); });
  require(into_used == whole, "a run that was used before reads another file than a new one does");
  if (!whole) return;
  const result::Run run = result::parse_run(text, "run.json");
  require(used == run, "something of an earlier file is left in a run");

  result::Run values;
  require(accepted([&] { values = result::parse_run(text, "run.json", result::Detail::values); }),
          "a whole run is refused where only its values are read");
  require(values.id == run.id && values.processes.size() == run.processes.size(),
          "its values are another run's");
  accepted([&] { store::record_of(run, std::string(64, '0'), "run.json", "node"); });
  stack::inventory_of(run.fingerprint);
  stack::inventory_of_run(run, "run.json");
}

const Target target("run_file", read);

}  // namespace
}  // namespace gpugauge::fuzz
