// Lists what could not be read, and the permissions needed: one note for everything.
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/words.hpp"
#include "stack/rules/host_parts.hpp"

namespace gpugauge::stack {

void check_unreadable(const RuleInput& input, Findings& findings) {
  constexpr std::size_t keys_most = 12;
  std::map<std::string, std::vector<std::string>> by_need;
  for (const Item& item : input.inventory.items())
    if (item.presence == Presence::unreadable)
      by_need[item.needs.empty() ? "unknown" : printable(item.needs, 80)].push_back(printable(item.key, 80));
  if (by_need.empty()) return;
  std::size_t count = 0;
  Finding finding = make_finding(
      Cause("items_unreadable"), Severity::note, "",
      "They are there and may not be read by this user. A rule that needs one of them says nothing.");
  bool privileged = false;
  bool from_host = false;
  for (auto& [need, keys] : by_need) {
    privileged = privileged || need.find("root") != std::string::npos ||
                 need.find("group") != std::string::npos || need.find("permission") != std::string::npos;
    from_host = from_host || need.starts_with(look_from_the_host);
    count += keys.size();
    const std::size_t more = keys.size() > keys_most ? keys.size() - keys_most : 0;
    keys.resize(keys.size() - more);
    finding.evidence.push_back(fmt::format("needs {}: {}{}", need, fmt::join(keys, ", "),
                                           more == 0 ? "" : fmt::format(" and {} more", more)));
  }
  finding.title = count == 1 ? "1 item could not be read" : fmt::format("{} items could not be read", count);
  if (privileged) {
    finding.next.emplace_back(
        "Run once more with that permission (sudo gpugauge doctor), if what is missing matters");
  }
  if (from_host) finding.next.emplace_back("Run it on the host, outside of the container");
  if (finding.next.empty())
    finding.next.emplace_back("Run once more with what it needs, if what is missing matters");
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

}  // namespace gpugauge::stack
