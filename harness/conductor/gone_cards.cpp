#include "conductor/gone_cards.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "baseline/card.hpp"
#include "judge/physical_verdict.hpp"
#include "result/facts.hpp"

namespace gpugauge::conductor {

namespace {

/// The card's PCI address; "" where the driver gave none.
std::string address_of(const result::Fingerprint& fingerprint, const std::string& uuid) {
  const auto number = baseline::number_of_card(fingerprint, uuid);
  const std::string said =
      number ? result::fact(fingerprint.topology, fmt::format("gpu.{}.pci", *number)) : "";
  return said == "unknown" ? "" : said;
}

/// The card at this address now; "" where none is known.
std::string card_at(const result::Fingerprint& fingerprint, const std::string& address) {
  for (const auto& [name, value] : fingerprint.topology) {
    if (value != address || !name.starts_with("gpu.") || !name.ends_with(".pci")) continue;
    const std::string number = name.substr(4, name.size() - 8);
    return result::fact(fingerprint.device, fmt::format("gpu.{}.uuid", number));
  }
  return "";
}

/// True when something at the card's address may be the card or its replacement.
bool may_be_there(const result::Run& now, const result::Run& then, const std::string& uuid,
                  const Shown& shown) {
  if (shown.uuids.contains(uuid)) return true;
  const std::string own = address_of(now.fingerprint, now.device);
  if (own.empty() || !shown.on_bus(own)) return true;
  const std::string address = address_of(then.fingerprint, uuid);
  if (address.empty()) return true;
  const std::string there = card_at(now.fingerprint, address);
  if (there.empty()) return shown.on_bus(address);
  return !baseline::number_of_card(then.fingerprint, there);
}

}  // namespace

Shown shown_of(const stack::MachineNow& now) {
  Shown out;
  out.listed = now.gpus_listed;
  for (const stack::KernelGpu& gpu : now.gpus) out.uuids.insert(gpu.uuid);
  out.on_bus = [](const std::string& address) { return stack::on_pci_bus(address); };
  return out;
}

Shown shown_by_the_kernel() {
  return shown_of(stack::machine_now());
}

std::vector<judge::Verdict> judge_gone_cards(const std::vector<report::DeviceReport>& devices,
                                             const judge::Policy& policy, const Shown& shown) {
  if (policy.expected_gpus || !shown.listed) return {};
  std::map<std::string, judge::Verdict> by_card;
  for (const report::DeviceReport& device : devices) {
    if (device.rounds.empty() || device.reference.empty()) continue;
    const result::Run& now = device.rounds.front();
    const result::Run& then = device.reference.front();
    // A baseline that names another card belongs to another machine.
    if (!baseline::number_of_card(then.fingerprint, now.device)) continue;
    for (const std::string& uuid : baseline::cards_gone(now.fingerprint, then.fingerprint)) {
      if (may_be_there(now, then, uuid, shown)) continue;
      by_card.emplace(uuid,
                      judge::physical_verdict(
                          fmt::format("gpu/gone/{}", uuid), judge::VerdictKind::failed,
                          fmt::format("{} ({}) was in this machine at {}, when its baseline was recorded, "
                                      "and neither the driver nor the "
                                      "PCI bus shows it now: look for its Xid in the kernel log; where it "
                                      "was taken out, record the "
                                      "baselines anew, or say in the policy how many GPUs there shall be",
                                      uuid, address_of(then.fingerprint, uuid), then.started)));
    }
  }
  std::vector<judge::Verdict> out;
  out.reserve(by_card.size());
  for (auto& [uuid, verdict] : by_card) out.push_back(std::move(verdict));
  return out;
}

}  // namespace gpugauge::conductor
