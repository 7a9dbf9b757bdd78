#include "baseline/card.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "baseline/fields.hpp"
#include "result/device_kind.hpp"

namespace gpugauge::baseline {
namespace {

constexpr std::string_view gpu = "gpu.";
constexpr std::string_view uuid_end = ".uuid";

/// "2" for "gpu.2.name"; "" for facts that are not about one card.
std::string_view number_in(std::string_view fact) {
  if (!fact.starts_with(gpu)) return "";
  const std::string_view rest = fact.substr(gpu.size());
  const std::size_t digits = rest.find_first_not_of("0123456789");
  return digits == 0 || digits == std::string_view::npos || rest[digits] != '.' ? "" : rest.substr(0, digits);
}

std::set<std::string> uuids(const result::Fingerprint& fingerprint) {
  std::set<std::string> out;
  for (const auto& [name, value] : fingerprint.device)
    if (!number_in(name).empty() && name.ends_with(uuid_end) &&
        result::device_kind(value) == result::DeviceKind::gpu)
      out.insert(value);
  return out;
}

}  // namespace

std::optional<std::string> number_of_card(const result::Fingerprint& fingerprint, const std::string& uuid) {
  if (uuid.empty() || result::device_kind(uuid) != result::DeviceKind::gpu) return std::nullopt;
  for (const auto& [name, value] : fingerprint.device)
    if (value == uuid && name.ends_with(uuid_end) && !number_in(name).empty())
      return std::string(number_in(name));
  return std::nullopt;
}

result::Fingerprint about_card(const result::Fingerprint& fingerprint, const std::string& uuid,
                               const std::string& as) {
  const std::optional<std::string> own = number_of_card(fingerprint, uuid);
  if (!own) return fingerprint;
  result::Fingerprint out = fingerprint;
  for (result::Facts* section : {&out.device, &out.settings, &out.stack, &out.topology}) {
    result::Facts kept;
    for (const auto& [name, value] : *section) {
      const std::string_view number = number_in(name);
      if (number.empty())
        kept.emplace(name, value);
      else if (number == *own)
        kept.emplace(std::string(gpu) + as + name.substr(gpu.size() + own->size()), value);
    }
    *section = std::move(kept);
  }
  out.device.erase("gpu.count");
  return out;
}

std::pair<result::Fingerprint, result::Fingerprint> about_cards(const result::Fingerprint& now,
                                                                const std::string& uuid_now,
                                                                const result::Fingerprint& then,
                                                                const std::string& uuid_then) {
  const std::optional<std::string> number = number_of_card(now, uuid_now);
  if (!number || !number_of_card(then, uuid_then)) return {now, then};
  return {about_card(now, uuid_now, *number), about_card(then, uuid_then, *number)};
}

std::vector<std::string> cards_gone(const result::Fingerprint& now, const result::Fingerprint& then) {
  if (!differences(now, then, {Role::host_identity}).empty()) return {};
  const std::set<std::string> here = uuids(now);
  const std::set<std::string> there = uuids(then);
  std::vector<std::string> out;
  std::set_difference(there.begin(), there.end(), here.begin(), here.end(), std::back_inserter(out));
  return out;
}

}  // namespace gpugauge::baseline
