#include "conductor/observe_changes.hpp"

#include <string_view>

#include "baseline/card.hpp"
#include "baseline/fields.hpp"
#include "result/device_kind.hpp"

namespace gpugauge::conductor {
namespace {

using baseline::Role;

/// True for a setting "gpu.<n>." of a GPU that this observation does not cover. An observation of links
/// covers all GPUs.
bool of_another_gpu(std::string_view name, const std::string& prefix, bool links) {
  constexpr std::string_view gpu = "gpu.";
  const bool numbered =
      name.starts_with(gpu) && name.size() > gpu.size() && name[gpu.size()] >= '0' && name[gpu.size()] <= '9';
  return numbered && !links && (prefix.empty() || !name.starts_with(prefix));
}

Changes changes_of(const result::Run& now, const result::Run& then, const std::string& prefix,
                   const std::vector<Role>& roles) {
  Changes out;
  const auto [facts, earlier] =
      baseline::about_cards(now.fingerprint, now.device, then.fingerprint, then.device);
  for (const baseline::Mismatch& field : baseline::differences(facts, earlier, roles)) {
    const std::size_t dot = field.field.find('.');
    std::string name = dot == std::string::npos ? field.field : field.field.substr(dot + 1);
    // Hashes of sources identify what was measured, and another machine is not a changed machine. Baselines
    // that differ in either are refused earlier.
    const bool card = field.field.starts_with("device.") && name.ends_with(".uuid");
    if (field.field.starts_with("suite.") || (field.field.starts_with("device.") && !card)) continue;
    if (of_another_gpu(name, prefix, result::is_links(now.device))) continue;
    const bool own = !prefix.empty() && name.starts_with(prefix);
    if (own) name = name_of_own(name.substr(prefix.size()));
    if (name.ends_with("path")) continue;
    const auto side = [&](const std::string& text) {
      if (text.empty()) return diagnose::Value("absent");
      return diagnose::Value(own ? state_of(text) : text);
    };
    const diagnose::Change change{side(field.then), side(field.now)};
    // "on (off after reset)" is still on, as before.
    if (change.before != change.after) out.emplace(name, change);
  }
  return out;
}

}  // namespace

std::string state_of(const std::string& setting) {
  return setting.substr(0, setting.find(" ("));
}

std::string name_of_own(const std::string& fact) {
  return fact == "vgpu_licence" ? "gpu.vgpu_license" : "gpu." + fact;
}

Changes changes_between(const result::Run& now, const result::Run& then, const std::string& prefix) {
  return changes_of(now, then, prefix, {Role::identity, Role::noted, Role::must});
}

Changes changes_from_peers(const result::Run& now, const std::vector<result::Run>& peers,
                           const std::string& prefix) {
  std::map<std::string, std::map<std::string, std::size_t>> alike;  // by field: how often which value
  Changes all;
  for (const result::Run& peer : peers)
    for (auto& [name, change] : changes_of(now, peer, prefix, {Role::noted, Role::must})) {
      const std::size_t count = ++alike[name][change.before.text()];
      if (2 * count > peers.size()) all.insert_or_assign(name, change);
    }
  return all;
}

}  // namespace gpugauge::conductor
