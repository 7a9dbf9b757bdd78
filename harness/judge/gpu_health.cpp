#include "judge/gpu_health.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/gpu_way.hpp"
#include "judge/physical_verdict.hpp"
#include "result/gpu_health.hpp"
#include "result/gpu_series.hpp"
#include "result/xid.hpp"

namespace gpugauge::judge {
namespace {

using Fault = result::MemoryFault;

/// The finding on one GPU, and its reason.
using Unsound = std::pair<VerdictKind, std::string>;

bool tells_of_memory(const result::Run& run, const std::string& uuid) {
  const auto told = [&](std::string_view series) {
    return !result::values_of_gpu(run, uuid, series).empty();
  };
  return told(result::ecc_meanwhile_series) || told(result::remap_failed.fact) ||
         told(result::remap_pending.fact) || told(result::retired_pages_pending.fact) ||
         told(result::ecc_uncorrected.fact);
}

/// The newest value; 0 if the GPU gave none.
double last_seen(const result::Run& run, const std::string& uuid, const Fault& fault) {
  const std::vector<double> values = result::values_of_gpu(run, uuid, fault.fact);
  return values.empty() ? 0 : values.back();
}

std::string reset(const std::string& uuid) {
  return result::clause(result::reset_step(1, uuid));
}

std::string not_remapped(const std::string& uuid) {
  return fmt::format("{}; {}; {}; see {}, {}", result::clause(result::remap_failed.title(uuid)),
                     result::clause(result::remap_failed.why), result::clause(result::replace_step),
                     result::memory_errors_guide, result::memory_errors_address);
}

std::string met_meanwhile(const std::string& uuid, double count) {
  return fmt::format(
      "{} met uncorrectable memory errors while it was measured, {:.0f} by its own count: {}; "
      "{}; then check again; {}",
      uuid, count, result::clause(result::ecc_uncorrected.why), reset(uuid),
      result::clause(result::watch_step));
}

std::string met_before(const std::string& uuid, double count) {
  return fmt::format("{}, {:.0f} by its own count; {}; then check again; {}",
                     result::ecc_uncorrected.title(uuid), count, reset(uuid),
                     result::clause(result::watch_step));
}

std::optional<Unsound> memory_of(const result::Run& run, const std::string& uuid) {
  if (highest_seen(run, uuid, result::remap_failed.fact) > 0)
    return Unsound{VerdictKind::failed, not_remapped(uuid)};
  const std::vector<double> meanwhile = result::values_of_gpu(run, uuid, result::ecc_meanwhile_series);
  const double met = std::accumulate(meanwhile.begin(), meanwhile.end(), 0.0);
  if (met > 0) return Unsound{VerdictKind::failed, met_meanwhile(uuid, met)};
  for (const Fault& fault : {result::remap_pending, result::retired_pages_pending})
    if (last_seen(run, uuid, fault) > 0)
      return Unsound{VerdictKind::inconclusive,
                     fmt::format("{}; {}; then check again", result::clause(fault.title(uuid)), reset(uuid))};
  const double count = last_seen(run, uuid, result::ecc_uncorrected);
  if (count > 0) return Unsound{VerdictKind::inconclusive, met_before(uuid, count)};
  return std::nullopt;
}

/// The doctor's advice for the gravest of these Xid numbers.
std::string advice_for(const std::set<int>& numbers, const std::string& uuid) {
  if (numbers.contains(79)) return result::clause(result::power_cycle_step);
  if (numbers.contains(64) || numbers.contains(119) || numbers.contains(120)) return reset(uuid);
  const bool known = std::all_of(numbers.begin(), numbers.end(),
                                 [](int number) { return result::xid_meaning(number) != nullptr; });
  return result::clause(known ? result::xid_catalog_step : result::xid_unknown_step);
}

/// Ok if the number indicates a program error and not the machine.
VerdictKind kind_by_xid(int number) {
  const result::XidMeaning* const meaning = result::xid_meaning(number);
  if (meaning != nullptr && meaning->blame == result::XidBlame::program) return VerdictKind::ok;
  return meaning == nullptr || meaning->mild ? VerdictKind::inconclusive : VerdictKind::failed;
}

std::optional<Unsound> xids_of(const result::Run& run, const std::string& uuid) {
  std::map<int, int> counts;
  VerdictKind kind = VerdictKind::ok;
  for (const double value : result::values_of_gpu(run, uuid, result::xid_series)) {
    const int number = value > 0 && value < 1e6 ? static_cast<int>(value) : 0;
    const VerdictKind of_it = kind_by_xid(number);
    if (of_it == VerdictKind::ok) continue;
    if (kind != VerdictKind::failed) kind = of_it;
    ++counts[number];
  }
  if (counts.empty()) return std::nullopt;
  std::vector<std::string> words;
  std::set<int> numbers;
  for (const auto& [number, count] : counts) {
    const result::XidMeaning* const meaning = result::xid_meaning(number);
    words.push_back(fmt::format("{} ({}{})", number,
                                meaning != nullptr ? meaning->words : "not in this build's table",
                                count > 1 ? fmt::format(", {} times", count) : ""));
    numbers.insert(number);
  }
  return Unsound{
      kind, fmt::format("the driver reported Xid {} of {} while it was measured; {}; see {}",
                        fmt::join(words, " and "), uuid, advice_for(numbers, uuid), result::xid_catalog)};
}

}  // namespace

std::vector<Verdict> told_of_gpu_health(const result::Run& run) {
  const std::set<std::string> gpus = result::measured_gpus(run);
  std::vector<Verdict> out;
  const auto add = [&](const char* name, const std::string& uuid, std::optional<Unsound> found) {
    const std::string own = gpus.size() == 1 ? "" : "/" + uuid;
    auto [kind, reason] = std::move(found).value_or(Unsound{VerdictKind::ok, ""});
    out.push_back(physical_verdict(name + own, kind, std::move(reason)));
  };
  for (const std::string& uuid : gpus) {
    if (tells_of_memory(run, uuid)) add("health/memory", uuid, memory_of(run, uuid));
    add("health/xid", uuid, xids_of(run, uuid));
  }
  return out;
}

std::vector<Verdict> judge_gpu_health(const result::Run& run) {
  std::vector<Verdict> out = told_of_gpu_health(run);
  std::erase_if(out, [](const Verdict& verdict) { return verdict.kind == VerdictKind::ok; });
  return out;
}

}  // namespace gpugauge::judge
