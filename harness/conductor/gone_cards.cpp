#include "conductor/gone_cards.hpp"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "baseline/card.hpp"
#include "result/facts.hpp"

namespace gpugauge::conductor {

std::vector<judge::Verdict> judge_gone_cards(const std::vector<report::DeviceReport>& devices,
                                             const judge::Policy& policy,
                                             const std::function<bool(const std::string& address)>& on_bus) {
  if (policy.expected_gpus) return {};
  std::map<std::string, judge::Verdict> by_card;
  for (const report::DeviceReport& device : devices) {
    if (device.rounds.empty() || device.reference.empty()) continue;
    const result::Run& now = device.rounds.front();
    const result::Run& then = device.reference.front();
    // A baseline of another card is of another machine.
    if (!baseline::number_of_card(then.fingerprint, now.device)) continue;
    for (const std::string& uuid : baseline::cards_gone(now.fingerprint, then.fingerprint)) {
      const std::string number = baseline::number_of_card(then.fingerprint, uuid).value_or("");
      const std::string address = result::fact(then.fingerprint.topology, fmt::format("gpu.{}.pci", number));
      if (on_bus(address)) continue;
      judge::Verdict gone;
      gone.kind = judge::VerdictKind::failed;
      gone.judge = judge::Judge::physical;
      gone.metric = fmt::format("gpu/gone/{}", uuid);
      gone.rounds = 1;
      gone.reason = fmt::format(
          "{} ({}) was in this machine at {}, when its baseline was recorded, and neither the driver nor the "
          "PCI bus shows it now: look for its Xid in the kernel log; where it was taken out, record the "
          "baselines anew, or say in the policy how many GPUs there shall be",
          uuid, result::or_absent(address), then.started);
      by_card.emplace(uuid, std::move(gone));
    }
  }
  std::vector<judge::Verdict> out;
  for (auto& [uuid, verdict] : by_card) out.push_back(std::move(verdict));
  return out;
}

}  // namespace gpugauge::conductor
