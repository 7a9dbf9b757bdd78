#include "stack/patience.hpp"

#include <algorithm>

#include "result/error.hpp"
#include "result/number.hpp"
#include "stack/hardware.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {

double start_limit(const Tree& tree, double limit_seconds) {
  constexpr double share_of_each_further = 0.25;
  const std::size_t gpus = find_hardware(tree).pci.size();
  return limit_seconds * (1 + share_of_each_further * static_cast<double>(gpus > 1 ? gpus - 1 : 0));
}

bool all_stay_started(const std::string& lines) {
  Inventory told;
  for_each_line(lines, [&](std::string_view line) {
    if (!line.starts_with("{\"schema\":\"gpugauge.inventory/")) return;
    try {
      const Inventory answer = inventory_from_json(std::string(line));
      for (const Item& item : answer.items()) told.add(item);
    } catch (const result::FormatError&) {  // a line that is not whole yet
    }
  });
  const auto gpus = told.children("gpu");
  const auto counted = result::number_in<std::size_t>(told.value("nvml.devices"));
  return counted && *counted > 0 && gpus.size() >= *counted &&
         std::all_of(gpus.begin(), gpus.end(), [&](const std::string& gpu) {
           return told.value("gpu." + gpu + ".persistence") == "on";
         });
}

}  // namespace gpugauge::stack
