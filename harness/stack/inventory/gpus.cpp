// Adds gpu.*, pci.*, cuda.*, nvml.* and driver_child.* to the inventory.
#include "stack/inventory/gpus.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "result/error.hpp"
#include "stack/child.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/loader.hpp"
#include "stack/patience.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* outcome_key = "driver_child.outcome";

std::vector<std::string> own_command() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  // So that ps shows a name; the file may have been replaced since the start.
  const bool there = !error && std::filesystem::exists(self, error);
  return {there ? self.string() : "/proc/self/exe", "probe", "inventory"};
}

/// True if the inventory has better data: the child's driver.version is less exact than a library's file
/// name.
bool is_known_better(const Item& item, const Inventory& inventory) {
  const Item* const known = inventory.find(item.key);
  if (item.key == "driver.version")
    return known != nullptr && known->presence == Presence::present && known->how == "file name";
  // A missing call must not erase a licence state or a guest found in files.
  return item.presence == Presence::absent && known != nullptr && known->presence == Presence::present;
}

/// Adds every line that is an inventory. Returns the last key received.
std::string add_answers(const std::string& out, Inventory& inventory) {
  std::string last;
  for_each_line(out, [&](std::string_view line) {
    if (!line.starts_with("{\"schema\":\"gpugauge.inventory/")) return;  // a preloaded library prints too
    try {
      const Inventory answer = inventory_from_json(std::string(line));
      for (const Item& item : answer.items()) {
        if (!is_known_better(item, inventory)) inventory.add(item);
        last = item.key;
      }
    } catch (const result::FormatError&) {
      last = "";  // incomplete line; the outcome says that no answer came
    }
  });
  return last;
}

void add_outcome(const ChildResult& child, const std::string& last, double limit_seconds,
                 const std::vector<std::string>& command, Inventory& inventory) {
  // The child reported the outcome itself.
  if (last == outcome_key && !child.timed_out && child.exit_code == 0) return;
  const std::string until = last.empty() ? "nothing was answered" : "the last answer was " + last;
  const std::string source = command.empty() ? "" : command.front();
  if (child.timed_out) {
    inventory.present(outcome_key, "timed out", source,
                      fmt::format("after {:.3g} s; {}", limit_seconds, until));
  } else if (child.signal) {
    inventory.present(outcome_key, "crashed", source, fmt::format("signal {}; {}", *child.signal, until));
  } else if (!child.start_error.empty()) {
    inventory.present(outcome_key, "no answer", source, "not started: " + child.start_error);
  } else {
    inventory.present(outcome_key, "no answer", source,
                      fmt::format("exit code {}; {}", child.exit_code.value_or(-1), until));
  }
}

/// False if there is nothing to ask.
bool is_asked(const Context& context, Inventory& inventory) {
  if (!context.driver_command.empty()) return true;
  if (!context.tree.live()) return false;
  const Loader loader(context.tree, context.environment);
  if (!loader.pick("libcuda.so.1").empty() || !loader.pick("libnvidia-ml.so.1").empty()) return true;
  for (const char* const key :
       {"cuda.init.code", "cuda.init.name", "cuda.init.call", "cuda.devices", "driver.cuda_max"})
    inventory.absent(key, "libcuda.so.1", "the loader finds no such library");
  for (const char* const key : {"nvml.init.code", "nvml.init.name", "nvml.devices"})
    inventory.absent(key, "libnvidia-ml.so.1", "the loader finds no such library");
  inventory.absent(outcome_key, "libcuda.so.1 libnvidia-ml.so.1", "there is no driver library to ask");
  return false;
}

}  // namespace

void collect_gpus(const Context& context, Inventory& inventory) {
  if (is_asked(context, inventory)) {
    const auto command = context.driver_command.empty() ? own_command() : context.driver_command;
    const double at_most = start_limit(context.tree, context.timeout_seconds);
    double limit_seconds = 0;
    bool begins = true;  // asked first when the process starts, and then whenever its time is up
    const ChildResult child = run_child(
        command,
        [&](const ChildProgress& so_far) {
          if (std::exchange(begins, false) || all_stay_started(so_far.out)) return context.timeout_seconds;
          return std::max(at_most, so_far.last_output_seconds + context.timeout_seconds);
        },
        &limit_seconds);
    const std::string last = add_answers(child.out, inventory);
    add_outcome(child, last, limit_seconds, command, inventory);
  }
  add_pci_functions(context.tree, inventory);
  if (inventory.children("gpu").empty()) add_gpus_of_module(context.tree, inventory);
  add_bus_facts(context.tree, inventory);
}

}  // namespace gpugauge::stack
