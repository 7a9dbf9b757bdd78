// Compares a driver with a board: by the drivers' own lists of GPUs, and by the kind of kernel module.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/plan/plan_fit.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view only_capability = "compute capability ";

/// The row whose model covers most of the name; nullptr if none does.
const GpuListing* listing_of(const Tables& tables, const GpuModel& gpu) {
  const GpuListing* best = nullptr;
  std::size_t most = 0;
  for (const GpuListing& row : tables.gpu_listings) {
    if (row.compute_capability != gpu.compute_capability) continue;
    for (const std::string& model : row.models)
      if (const std::size_t size = model_match(gpu.name, model, row.compute_capability); size > most) {
        best = &row;
        most = size;
      }
  }
  return best;
}

/// The release from which that driver is known to list them: of its own branch, or the last one of an older
/// branch. nullptr if the driver is older, or its branch does not list them.
const Version* listed_by(const GpuListing& row, const Version& driver) {
  for (const Version& first : row.listed)
    if (first.major() == driver.major()) return driver_at_least(driver, first) ? &first : nullptr;
  return driver.major() > row.listed.back().major() ? &row.listed.back() : nullptr;
}

/// The lowest release above that driver that lists them.
const Version& next_listed(const GpuListing& row, const Version& driver) {
  const auto found = std::find_if(row.listed.begin(), row.listed.end(),
                                  [&](const Version& first) { return first > driver; });
  return found == row.listed.end() ? row.listed.back() : *found;
}

PairFit& known_from(PairFit& pair, const Version& driver, std::string reason) {
  fit::unknown(pair, std::move(reason));
  pair.driver_needed = driver;
  pair.remedy = fmt::format("Driver {} is the next one that is known to.", driver_text(driver));
  return pair;
}

/// For a compute capability only: what holds for each of its boards.
PairFit& fit_any_board(const Tables& tables, const Version& driver, const Version& capability,
                       PairFit& pair) {
  std::vector<std::string> missing;
  const Version* needed = nullptr;
  bool any = false;
  for (const GpuListing& row : tables.gpu_listings) {
    if (row.compute_capability != capability) continue;
    any = true;
    const bool cited =
        std::find(pair.sources.begin(), pair.sources.end(), row.source.text) != pair.sources.end();
    if (!cited) pair.sources.push_back(row.source.text);
    if (row.source.read && listed_by(row, driver) != nullptr) continue;
    missing.push_back(row.models.front());
    const Version& next = next_listed(row, driver);
    if (needed == nullptr || *needed < next) needed = &next;
  }
  if (!any) return fit::unknown(pair, "No list of a driver's GPUs that was read names a board of it.");
  if (missing.empty())
    return fit::works(pair, "This driver, or an older one, lists each board of it that the tables name.");
  return known_from(pair, *needed,
                    fmt::format("It depends on the board, which --gpu names: this driver is not known to "
                                "list {}.",
                                fmt::join(missing, ", ")));
}

}  // namespace

namespace fit {

std::string architecture_text(const Architecture* row, const Version& capability) {
  return row == nullptr ? fmt::format("compute capability {}", capability.text())
                        : fmt::format("{} (compute capability {})", row->name, capability.text());
}

}  // namespace fit

PairFit fit_driver_gpu(const Tables& tables, const Version& driver, const GpuModel& gpu) {
  const Version& capability = gpu.compute_capability;
  const Architecture* const row = tables.architecture(capability);
  const bool board = !gpu.name.empty() && !gpu.name.starts_with(only_capability);
  const std::string architecture = fit::architecture_text(row, capability);
  PairFit pair = fit::pair("driver " + driver_text(driver),
                           board ? fmt::format("{}: {}", gpu.name, architecture) : architecture);
  if (row == nullptr) return fit::unknown(pair, "The tables have no row for this compute capability.");
  if (row->last_driver_branch && driver.major() > *row->last_driver_branch) {
    return fit::judged(
        pair, Fit::fails, "gpu",
        fmt::format("Driver branch {} is the last one that drives {}.", *row->last_driver_branch, row->name),
        fmt::format("Stay on driver branch {}, or replace the GPU.", *row->last_driver_branch), row->source);
  }
  if (row->first_driver && !driver_at_least(driver, *row->first_driver)) {
    pair.driver_needed = row->first_driver;
    return fit::judged(
        pair, Fit::fails, "driver",
        fmt::format("The first driver for {} is {}.", row->name, driver_text(*row->first_driver)),
        fmt::format("Install driver {} or newer.", driver_text(*row->first_driver)), row->source);
  }
  if (!board) return fit_any_board(tables, driver, capability, pair);
  const GpuListing* const listing = listing_of(tables, gpu);
  if (listing == nullptr)
    return fit::unknown(pair, "No list of a driver's GPUs that was read names this board.");
  if (listing->required && !driver_at_least(driver, *listing->required)) {
    pair.driver_needed = listing->required;
    return fit::judged(
        pair, Fit::fails, "driver",
        fmt::format("NVIDIA requires driver {} or newer for it.", driver_text(*listing->required)),
        fmt::format("Install driver {} or newer.", driver_text(*listing->required)), listing->source);
  }
  pair.sources.push_back(listing->source.text);
  const Version* const listed = listed_by(*listing, driver);
  if (listed == nullptr || !listing->source.read) {
    const Version& next = next_listed(*listing, driver);
    return known_from(pair, next,
                      fmt::format("No source that was read says that this driver knows the board; the {} one "
                                  "of which one does is {}.",
                                  next > driver ? "next" : "newest", driver_text(next)));
  }
  return fit::works(pair,
                    fmt::format("Driver {} lists it, and this one is not older.", driver_text(*listed)));
}

std::string module_kind_of(const GpuModel& gpu) {
  static const Version turing({7, 5});
  static const Version blackwell({10, 0});
  if (gpu.market == Market::jetson ||
      is_tegra(gpu.compute_capability.major() * 10 + gpu.compute_capability.minor()))
    return "";
  if (gpu.compute_capability < turing) return "proprietary";
  const bool grace_hopper = model_match(gpu.name, "GH200", gpu.compute_capability) > 0;
  return gpu.compute_capability >= blackwell || grace_hopper ? "open" : "";
}

PairFit fit_module_kind(const Tables& tables, const std::string& kind, const GpuModel& gpu) {
  const std::string needed = module_kind_of(gpu);
  PairFit pair = fit::pair(kind + " kernel modules", gpu.name);
  const StatedRule* const rule = tables.rule(needed + " kernel modules");
  if (rule == nullptr) return fit::unknown(pair, "The tables have no rule for it.");
  if (kind != needed)
    return fit::judged(pair, Fit::fails, "driver", rule->rule,
                       fmt::format("Install the packages with the {} kernel modules.", needed), rule->source);
  pair.sources.push_back(rule->source.text);
  return fit::works(pair, rule->rule);
}

}  // namespace gpugauge::stack
