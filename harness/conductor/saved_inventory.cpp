#include "conductor/saved_inventory.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "diagnose/observation.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"
#include "result/run_file.hpp"
#include "stack/inventory/from_run.hpp"

namespace gpugauge::conductor {

stack::Inventory read_inventory(const std::string& file) {
  const std::string text = result::read_file(file);
  try {
    const nlohmann::json document = result::parse_json(text, file);
    const bool object = document.is_object();
    if (object && document.contains("schema") && document["schema"] == diagnose::observation_schema)
      throw result::FormatError(fmt::format(
          "{} is an observation, which `gpugauge diagnose` reads; `gpugauge doctor --json` writes an "
          "inventory",
          file));
    if (object && document.contains("inventory") && document["inventory"].is_object())
      return stack::inventory_from_json(document["inventory"].dump());
    if (object && document.contains("schema") && document["schema"] == result::run_schema)
      return stack::inventory_of_run(result::parse_run(text, file, result::Detail::values), file);
    return stack::inventory_from_json(text);
  } catch (const result::FormatError& error) {
    throw result::FormatError(fmt::format(
        "{} holds neither an inventory of `gpugauge doctor --json` nor a run: {}", file, error.what()));
  }
}

}  // namespace gpugauge::conductor
