// Compares the ports of the RDMA network with their siblings, and each card's PCIe link with what card and slot can.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"
#include "stack/inventory/rdma_ports.hpp"
#include "stack/rules/host_parts.hpp"

namespace gpugauge::stack {
namespace {

using Ports = RdmaPorts;

std::string fact(const Inventory& inventory, const RdmaPort& port, std::string_view name) {
  return inventory.value(fmt::format("host.infiniband.{}.{}", port.name, name));
}

std::string names(const Ports& ports) {
  std::vector<std::string> out;
  for (const RdmaPort& port : ports) out.push_back(printable(port.name, 40));
  return fmt::format("{} {}", ports.size() == 1 ? "port" : "ports", fmt::join(out, ", "));
}

/// "InfiniBand", "Ethernet"; another layer is not told to be something.
std::string layer_of(const RdmaPort& port) {
  return port.link_layer == "InfiniBand" || port.link_layer == "Ethernet" ? port.link_layer + " " : "";
}

constexpr const char* slower =
    "A collective goes at the pace of its slowest path: one port that is down or slow holds up every GPU of a "
    "job. NCCL leaves out a port that is not active, without an error.";

Finding degraded(Severity severity, std::string_view title) {
  Finding finding = make_finding(Cause("rdma_link_degraded"), severity, title, slower);
  finding.layers = {"host"};
  return finding;
}

/// Ports that are not active, where siblings of theirs are.
void check_states(const Ports& group, Findings& findings) {
  Ports down;
  std::copy_if(group.begin(), group.end(), std::back_inserter(down),
               [](const RdmaPort& port) { return !port.state.empty() && !port.active(); });
  const auto active = static_cast<std::size_t>(
      std::count_if(group.begin(), group.end(), [](const RdmaPort& port) { return port.active(); }));
  // Where most are not connected, nobody meant them to be.
  if (down.empty() || active < down.size()) return;
  Finding finding =
      degraded(active > down.size() ? Severity::warning : Severity::note,
               fmt::format("{}{} not active, unlike {} of {}", layer_of(down.front()),
                           names(down) + (down.size() == 1 ? " is" : " are"), active, group.size()));
  for (const RdmaPort& port : down)
    finding.evidence.push_back(
        fmt::format("{}: {}{}", printable(port.shown(), 80), printable(port.state, 40),
                    port.physical_state.empty() ? "" : ", physically " + printable(port.physical_state, 40)));
  finding.considered = {
      "a port that is meant to be empty: then it may be left so; second ports of cards are compared with each "
      "other only"};
  finding.next = {
      down.front().link_layer == "InfiniBand"
          ? "ibstat shows each port; INIT asks for the subnet manager (sminfo), Polling for the cable or the "
            "switch"
          : "rdma link; ip link: set the interface up, then look at the cable, the module and the switch "
            "(ethtool)"};
  findings.push_back(std::move(finding));
}

/// InfiniBand ports that are connected, none of which a subnet manager has set up.
void check_subnet_manager(const Ports& group, Findings& findings) {
  const bool all_wait = std::all_of(group.begin(), group.end(), [](const RdmaPort& port) {
    return port.link_layer == "InfiniBand" && !port.active();
  });
  Ports waiting;
  std::copy_if(group.begin(), group.end(), std::back_inserter(waiting),
               [](const RdmaPort& port) { return port.state == "INIT" && port.physical_state == "LinkUp"; });
  if (!all_wait || waiting.empty()) return;
  Finding finding =
      degraded(Severity::warning, "InfiniBand is connected, and no subnet manager has set it up");
  finding.explanation =
      "The cable's other end answers, but no subnet manager gave the ports an address. Nothing can be sent, and "
      "NCCL goes over sockets.";
  for (const RdmaPort& port : waiting)
    finding.evidence.push_back(fmt::format("{}: INIT, physically LinkUp", printable(port.shown(), 80)));
  finding.next = {"sminfo; start the subnet manager (the switch's own, or opensm on one node of the fabric)"};
  findings.push_back(std::move(finding));
}

/// Active ports with a lower rate than most of their siblings.
void check_rates(const Ports& group, Findings& findings) {
  std::vector<std::string> rates;
  Ports active;
  for (const RdmaPort& port : group) {
    if (!port.gigabits()) continue;
    rates.push_back(fmt::format("{:g}", *port.gigabits()));
    active.push_back(port);
  }
  if (active.size() < 2) return;
  const auto usual = majority(rates);
  const auto fastest = *std::max_element(active.begin(), active.end(), [](const auto& a, const auto& b) {
                          return *a.gigabits() < *b.gigabits();
                        })->gigabits();
  const double expected = usual ? result::number_in<double>(*usual).value_or(fastest) : fastest;
  Ports slow;
  std::copy_if(active.begin(), active.end(), std::back_inserter(slow),
               [&](const RdmaPort& port) { return *port.gigabits() < expected; });
  if (slow.empty()) return;
  Finding finding =
      degraded(usual ? Severity::warning : Severity::note,
               fmt::format("{}{} slower than {} of the same model", layer_of(slow.front()),
                           names(slow) + (slow.size() == 1 ? " is" : " are"), usual ? "most" : "others"));
  for (const RdmaPort& port : slow)
    finding.evidence.push_back(fmt::format("{}: {}; {}: {:g} Gb/s", printable(port.shown(), 80),
                                           printable(port.rate, 60), usual ? "most others" : "the fastest",
                                           expected));
  finding.next = {
      slow.front().link_layer == "InfiniBand"
          ? "ibstat and iblinkinfo: compare width and speed at both ends; clean or change the cable"
          : "ethtool INTERFACE: compare the speed at both ends; look at the cable, the module and "
            "the switch"};
  findings.push_back(std::move(finding));
}

void check_pcie(const Inventory& inventory, const RdmaPort& port, Findings& findings) {
  const CardLink& link = port.link;
  if (!link.generation || !link.width) return;
  const std::string in_use = fmt::format("Gen{:g} x{:g}", *link.generation, *link.width);
  if (link.below()) {
    const bool real = !in_virtual_machine(inventory);
    Finding finding = degraded(
        real ? Severity::warning : Severity::note,
        fmt::format("The network card of {} has a slower PCIe link than it could", printable(port.name, 40)));
    finding.evidence.push_back(fmt::format("{}: {} in use; {}: Gen{:g} x{:g}", printable(port.shown(), 80),
                                           in_use, real ? "card and slot can" : "the card can",
                                           *link.generation_possible, *link.width_possible));
    finding.considered = {
        "power saving at rest: a card whose link is full under load (ib_write_bw) has nothing wrong"};
    finding.next = {
        "sudo lspci -vv -s ADDRESS | grep -E 'LnkCap|LnkSta'; reseat the card, look at its riser"};
    findings.push_back(std::move(finding));
    return;
  }
  const auto carries = link.gigabits();
  const auto rate = port.gigabits();
  if (!carries || !rate || *carries >= *rate) return;
  Finding finding = degraded(
      Severity::note, fmt::format("The slot of {} carries less than its port", printable(port.name, 40)));
  finding.evidence.push_back(fmt::format("{}: {}, at most {:.0f} Gb/s; port: {}", printable(port.shown(), 80),
                                         in_use, *carries, printable(port.rate, 60)));
  finding.next = {"Move the card to a slot with more lanes or a later generation, where the machine has one"};
  findings.push_back(std::move(finding));
}

/// What ought to be the same at all active ports of one kind.
void check_alike(const Inventory& inventory, const Ports& group, Findings& findings) {
  struct Compared {
    const char* name;
    const char* words;
    bool counts;
  };
  for (const Compared& row :
       {Compared{"mtu", "largest packet (MTU)", true}, Compared{"firmware", "firmware", false}}) {
    Ports known;
    std::vector<std::string> values;
    for (const RdmaPort& port : group) {
      if (const std::string value = fact(inventory, port, row.name); port.active() && !value.empty()) {
        known.push_back(port);
        values.push_back(value);
      }
    }
    if (std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == values.front(); }))
      continue;
    Finding finding = make_finding(
        Cause("rdma_ports_differ"), row.counts ? Severity::warning : Severity::note,
        fmt::format("RDMA ports of one model differ: {}", row.words),
        row.counts
            ? "Between ports with unlike packet sizes large messages are lost or cut, which shows as a "
              "hang or as a slow collective."
            : "They may behave differently under the same load.");
    for (std::size_t i = 0; i < known.size(); ++i)
      finding.evidence.push_back(
          fmt::format("{}: {} {}", printable(known[i].shown(), 80), row.words, printable(values[i], 40)));
    finding.next = {row.counts ? "sudo ip link set INTERFACE mtu 9000, as at the switch and on every node"
                               : "Bring all cards to one firmware (mlxfwmanager, for NVIDIA's)"};
    finding.layers = {"host"};
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_ports(const RuleInput& input, Findings& findings) {
  const Ports ports = rdma_ports(input.inventory);
  for (const Ports& group : alike(ports)) {
    check_states(group, findings);
    check_subnet_manager(group, findings);
    check_rates(group, findings);
    check_alike(input.inventory, group, findings);
  }
  for (const RdmaPort& port : ports) check_pcie(input.inventory, port, findings);
}

}  // namespace gpugauge::stack
