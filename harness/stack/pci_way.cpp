#include "stack/pci_way.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/processor_list.hpp"

namespace gpugauge::stack {
namespace {

/// The list of names; "" where it is not installed. It has 1.6 MB in 2026.
std::string names_of_pci(const Tree& tree) {
  constexpr std::size_t most = std::size_t{16} << 20;
  for (const char* const file : {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"})
    if (Reading list = tree.read(file, most); list.present()) return std::move(list.text);
  return "";
}

/// What follows "KEY  " at the beginning of a line of `text`, with its place; npos if there is no such line.
std::size_t line_of(std::string_view text, const std::string& key) {
  const std::string start = key + "  ";
  if (text.starts_with(start)) return start.size();
  const std::size_t at = text.find("\n" + start);
  return at == std::string_view::npos ? at : at + 1 + start.size();
}

std::string_view without_0x(std::string_view number) {
  return number.starts_with("0x") ? number.substr(2) : number;
}

/// Makers name the bridges of their chipsets after them: "200 Series PCH PCI Express Root Port", "500 Series Chipset
/// Switch Upstream Port". AMD's X570 is named after the processor whose die it has.
bool of_chipset(std::string_view name) {
  for (const std::string_view word : {"PCH", "hipset", "Matisse Switch Upstream"})
    if (name.find(word) != std::string_view::npos) return true;
  return false;
}

std::string chipset_of(const Tree& tree, const std::vector<std::string>& bridges) {
  if (bridges.empty()) return "none";
  const std::string list = names_of_pci(tree);
  bool all = true;
  for (const std::string& bridge : bridges) {
    const std::string folder = fmt::format("{}/{}", pci_devices, bridge);
    const std::string_view name =
        pci_name(list, tree.read(folder + "/vendor").text, tree.read(folder + "/device").text);
    if (of_chipset(name)) return std::string(name);
    all = all && !name.empty();
  }
  return all ? "none" : "unknown";
}

std::string socket_of(const Tree& tree, const std::string& address) {
  const std::vector<int> near =
      result::parse_processors(tree.read(fmt::format("{}/{}/local_cpulist", pci_devices, address)).text);
  if (near.empty()) return "unknown";
  const Reading package =
      tree.read(fmt::format("/sys/devices/system/cpu/cpu{}/topology/physical_package_id", near.front()));
  return package.present() && !package.text.empty() ? package.text : "unknown";
}

}  // namespace

std::vector<std::string> bridges_above(const Tree& tree, const std::string& address) {
  std::vector<std::string> bridges;
  const std::filesystem::path place = tree.resolve(fmt::format("{}/{}", pci_devices, address));
  for (const std::filesystem::path& part : place.parent_path()) {
    const std::string name = part.string();
    if (name.size() >= 12 && name.find(':') == name.size() - 8 && name[name.size() - 2] == '.')
      bridges.push_back(name);
  }
  return bridges;
}

std::string_view pci_name(std::string_view list, std::string_view vendor, std::string_view device) {
  if (vendor.empty() || device.empty()) return {};
  const std::size_t maker = line_of(list, std::string(without_0x(vendor)));
  if (maker == std::string_view::npos) return {};
  std::string_view own =
      list.substr(maker);  // up to the next maker: a line that is neither indented nor a remark
  for (std::size_t end = own.find('\n'); end != std::string_view::npos; end = own.find('\n', end + 1))
    if (end + 1 < own.size() && own[end + 1] != '\t' && own[end + 1] != '#' && own[end + 1] != '\n') {
      own = own.substr(0, end);
      break;
    }
  const std::size_t name = line_of(own, "\t" + std::string(without_0x(device)));
  if (name == std::string_view::npos) return {};
  return own.substr(name, own.find('\n', name) - name);
}

result::Facts pci_way(const Tree& tree, const std::string& address) {
  const std::vector<std::string> bridges = bridges_above(tree, address);
  return {{"pci_bridges", bridges.empty() ? "none" : fmt::format("{}", fmt::join(bridges, " "))},
          {"pci_chipset", chipset_of(tree, bridges)},
          {"socket", socket_of(tree, address)}};
}

}  // namespace gpugauge::stack
