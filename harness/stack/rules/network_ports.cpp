// Compares the cards of the RDMA network with others of their model, and each card's PCIe link with what card and slot can.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"
#include "stack/inventory/rdma_ports.hpp"
#include "stack/rules/host_parts.hpp"

namespace gpugauge::stack {
namespace {

std::string fact(const Inventory& inventory, const RdmaPort& port, std::string_view name) {
  return inventory.value(fmt::format("host.infiniband.{}.{}", port.name, name));
}

/// "InfiniBand port mlx5_3 is", "ports mlx5_3, mlx5_4 are"; another link layer is not told.
std::string subject(const RdmaPorts& ports) {
  std::vector<std::string> names;
  for (const RdmaPort& port : ports) names.push_back(printable(port.name, 40));
  const std::string& layer = ports.front().link_layer;
  return fmt::format("{}{} {} {}", layer == "InfiniBand" || layer == "Ethernet" ? layer + " " : "",
                     ports.size() == 1 ? "port" : "ports", fmt::join(names, ", "),
                     ports.size() == 1 ? "is" : "are");
}

constexpr const char* slower =
    "A collective goes at the pace of its slowest path: one port that is down or slow holds up every GPU of a "
    "job. NCCL leaves out a port that is not active, without an error.";

Finding degraded(Severity severity, std::string_view title) {
  Finding finding = make_finding(Cause("rdma_link_degraded"), severity, title, slower);
  finding.layers = {"host"};
  return finding;
}

/// Cards with fewer active ports than most of their model; where there is no majority, cards without any beside as many
/// with one.
void check_states(const CardGroup& group, Findings& findings) {
  const auto count = [](const RdmaPorts& card) {
    return static_cast<std::size_t>(
        std::count_if(card.begin(), card.end(), [](const RdmaPort& port) { return port.active(); }));
  };
  const std::size_t usual = group.usual_active.value_or(1);
  RdmaPorts down;
  std::size_t fewer = 0;
  for (const RdmaPorts& card : group.cards) {
    if (count(card) >= usual) continue;
    ++fewer;
    std::copy_if(card.begin(), card.end(), std::back_inserter(down),
                 [](const RdmaPort& port) { return !port.state.empty() && !port.active(); });
  }
  // Where most are not connected, nobody meant them to be.
  if (down.empty() || usual == 0 || 2 * fewer > group.cards.size()) return;
  Finding finding = degraded(group.usual_active ? Severity::warning : Severity::note,
                             fmt::format("{} not active, unlike {} of {} cards of the model", subject(down),
                                         group.cards.size() - fewer, group.cards.size()));
  for (const RdmaPort& port : down)
    finding.evidence.push_back(
        fmt::format("{}: {}{}", printable(port.shown(), 80), printable(port.state, 40),
                    port.physical_state.empty() ? "" : ", physically " + printable(port.physical_state, 40)));
  finding.considered = {"a card that is meant to be empty: then nothing is wrong"};
  finding.next = {
      down.front().link_layer == "InfiniBand"
          ? "ibstat shows each port; INIT asks for the subnet manager (sminfo), Polling for the cable or the "
            "switch"
          : "rdma link; ip link: set the interface up, then look at the cable, the module and the switch "
            "(ethtool)"};
  findings.push_back(std::move(finding));
}

/// InfiniBand ports that are connected, none of which a subnet manager has set up.
void check_subnet_manager(const CardGroup& group, Findings& findings) {
  RdmaPorts waiting;
  for (const RdmaPorts& card : group.cards)
    std::copy_if(card.begin(), card.end(), std::back_inserter(waiting), [](const RdmaPort& port) {
      return port.link_layer == "InfiniBand" && port.state == "INIT" && port.physical_state == "LinkUp";
    });
  if (waiting.empty() || !group.active().empty()) return;
  Finding finding =
      degraded(Severity::warning, "InfiniBand is connected, and no subnet manager has set it up");
  finding.explanation =
      "The cable's other end answers, but no subnet manager gave the ports an address. Nothing can be sent "
      "through them, and NCCL goes another way.";
  for (const RdmaPort& port : waiting)
    finding.evidence.push_back(fmt::format("{}: INIT, physically LinkUp", printable(port.shown(), 80)));
  finding.next = {"sminfo; start the subnet manager (the switch's own, or opensm on one node of the fabric)"};
  findings.push_back(std::move(finding));
}

/// "NDR" of "400 Gb/sec (4X NDR)": the speed of a lane. "" if the kernel does not name it.
std::string lane_speed(const std::string& rate) {
  const auto from = rate.find("X ");
  const auto to = rate.find(')');
  return from == std::string::npos || to == std::string::npos || to < from + 2
             ? ""
             : rate.substr(from + 2, to - from - 2);
}

/// Active ports with a lower rate than most of their model. Fewer lanes of the same speed are a fault of the cable; another
/// speed may be another network's.
void check_rates(const CardGroup& group, Findings& findings) {
  const RdmaPorts active = group.active();
  if (!group.usual_rate) return;
  const auto like_most = std::find_if(active.begin(), active.end(), [&](const RdmaPort& port) {
    return port.gigabits() == group.usual_rate;
  });
  RdmaPorts slow;
  bool fewer_lanes = false;
  for (const RdmaPort& port : active) {
    if (port.gigabits().value_or(*group.usual_rate) >= *group.usual_rate) continue;
    fewer_lanes = fewer_lanes ||
                  (!lane_speed(port.rate).empty() && lane_speed(port.rate) == lane_speed(like_most->rate));
    slow.push_back(port);
  }
  if (slow.empty()) return;
  Finding finding = degraded(fewer_lanes ? Severity::warning : Severity::note,
                             fmt::format("{} slower than most of the model", subject(slow)));
  for (const RdmaPort& port : slow)
    finding.evidence.push_back(fmt::format("{}: {}; most others: {}", printable(port.shown(), 80),
                                           printable(port.rate, 60), printable(like_most->rate, 60)));
  finding.considered = {"ports of another network, as for storage: then nothing is wrong"};
  finding.next = {
      slow.front().link_layer == "InfiniBand"
          ? "ibstat and iblinkinfo: compare width and speed at both ends; clean or change the cable"
          : "ethtool INTERFACE: compare the speed at both ends; look at the cable, the module and "
            "the switch"};
  findings.push_back(std::move(finding));
}

void check_pcie(const Inventory& inventory, const RdmaPort& port, Findings& findings) {
  const CardLink& link = port.link;
  if (!link.below()) return;
  const bool real = !in_virtual_machine(inventory);
  Finding finding = degraded(
      real ? Severity::warning : Severity::note,
      fmt::format("The network card of {} has a slower PCIe link than it could", printable(port.name, 40)));
  finding.evidence.push_back(fmt::format("{}: Gen{:g} x{:g} in use; {}: Gen{:g} x{:g}",
                                         printable(port.shown(), 80), *link.generation, *link.width,
                                         real ? "card and slot can" : "the card can",
                                         *link.generation_possible, *link.width_possible));
  finding.considered = {
      "power saving at rest: a card whose link is full under load (ib_write_bw) has nothing wrong"};
  finding.next = {"sudo lspci -vv -s ADDRESS | grep -E 'LnkCap|LnkSta'; reseat the card, look at its riser"};
  findings.push_back(std::move(finding));
}

/// What ought to be the same at all active ports of one model. Nothing that is surely a fault: notes.
void check_alike(const Inventory& inventory, const CardGroup& group, Findings& findings) {
  struct Compared {
    const char* name;
    const char* words;
    const char* means;
    const char* next;
  };
  // The MTU of an InfiniBand interface is of IP over InfiniBand, which RDMA does not use.
  for (
      const Compared& row :
      {Compared{
           "mtu", "largest packet (MTU)",
           "A connection takes the smaller of both ends. What switches on the way do not carry is lost, which shows as "
           "a hang or as a slow collective.",
           "ip link here, on the other nodes and at the switch: one size for all ports of one network"},
       Compared{"firmware", "firmware", "They may behave differently under the same load.",
                "Bring all cards to one firmware (mlxfwmanager, for NVIDIA's)"}}) {
    RdmaPorts known;
    std::vector<std::string> values;
    for (const RdmaPort& port : group.active()) {
      const std::string value = fact(inventory, port, row.name);
      if (value.empty() || (row.name == std::string_view("mtu") && port.link_layer != "Ethernet")) continue;
      known.push_back(port);
      values.push_back(value);
    }
    if (std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == values.front(); }))
      continue;
    Finding finding = make_finding(Cause("rdma_ports_differ"), Severity::note,
                                   fmt::format("RDMA ports of one model differ: {}", row.words), row.means);
    for (std::size_t i = 0; i < known.size(); ++i)
      finding.evidence.push_back(
          fmt::format("{}: {} {}", printable(known[i].shown(), 80), row.words, printable(values[i], 40)));
    finding.considered = {"ports of another network, as for storage, which may be set otherwise"};
    finding.next = {row.next};
    finding.layers = {"host"};
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_ports(const RuleInput& input, Findings& findings) {
  const RdmaPorts ports = certain_rdma_ports(input.inventory);
  for (const CardGroup& group : alike(ports)) {
    check_states(group, findings);
    check_subnet_manager(group, findings);
    check_rates(group, findings);
    check_alike(input.inventory, group, findings);
  }
  for (const RdmaPort& port : ports) check_pcie(input.inventory, port, findings);
}

}  // namespace gpugauge::stack
