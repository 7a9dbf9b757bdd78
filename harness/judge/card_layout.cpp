#include "judge/card_layout.hpp"

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/device_kind.hpp"

namespace gpugauge::judge {

bool of_links(const StoredVerdict& verdict) {
  return result::is_links(verdict.device);
}

bool of_gpu(const StoredVerdict& verdict) {
  return !result::is_host(verdict.device) && verdict.device != "node" && !of_links(verdict);
}

bool of_instance(const StoredVerdict& verdict) {
  return verdict.device.starts_with("MIG-");
}

std::string measured_otherwise(const std::vector<Kept>& all, const StoredVerdict& verdict) {
  if (!of_gpu(verdict) || verdict.address.empty()) return "";
  for (const Kept& one : all) {
    const StoredVerdict& other = one.verdict;
    if (!one.unreadable.empty() || !of_gpu(other) || other.address != verdict.address ||
        of_instance(other) == of_instance(verdict) || other.finished <= verdict.finished)
      continue;
    return of_instance(verdict)
               ? fmt::format("the whole card was measured at {}: the instance is gone", other.finished)
               : fmt::format("an instance of it was measured at {}: the card is split (MIG)", other.finished);
  }
  return "";
}

std::string divided_otherwise(const Present& now, const StoredVerdict& verdict) {
  const auto instances = now.instances.find(verdict.address);
  if (!of_gpu(verdict) || instances == now.instances.end() || (instances->second > 0) == of_instance(verdict))
    return "";
  return of_instance(verdict) ? "its card has no MIG instance now"
                              : fmt::format("the card is split into {} now (MIG)",
                                            result::counted(instances->second, "instance"));
}

}  // namespace gpugauge::judge
