// Shared helpers of the rules.
#include "stack/rules/support.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t title_most = 100;

/// Removes and returns the first word of a text.
std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

/// True for an address such as "0000:01:00.0".
bool is_pci_address(std::string_view word) {
  constexpr std::string_view tail = "00:00.0";
  if (word.size() < tail.size() + 5) return false;
  const std::string_view domain = word.substr(0, word.size() - tail.size() - 1);
  const auto hexadecimal = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  const std::string_view end = word.substr(word.size() - tail.size());
  return std::all_of(domain.begin(), domain.end(), hexadecimal) && word[domain.size()] == ':' &&
         end[2] == ':' && end[5] == '.' && hexadecimal(end[0]) && hexadecimal(end[1]) &&
         hexadecimal(end[3]) && hexadecimal(end[4]) && hexadecimal(end[6]);
}

/// "0-2", "5": three or more consecutive numbers become a range.
std::vector<std::string> runs(const GpuViews& gpus) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first < gpus.size();) {
    std::size_t last = first;
    const std::optional<int> start = result::number_in<int>(gpus[first].index());
    while (start && last + 1 < gpus.size() &&
           result::number_in<int>(gpus[last + 1].index()) == *start + static_cast<int>(last + 1 - first))
      ++last;
    if (last - first >= 2) {
      parts.push_back(fmt::format("{}-{}", gpus[first].index(), gpus[last].index()));
    } else {
      for (std::size_t at = first; at <= last; ++at) parts.push_back(gpus[at].index());
    }
    first = last + 1;
  }
  return parts;
}

}  // namespace

Finding make_finding(Cause cause, Severity severity, std::string_view title, std::string explanation) {
  Finding finding;
  finding.cause = cause.name();
  finding.severity = severity;
  finding.title = printable(title, title_most);
  finding.explanation = std::move(explanation);
  return finding;
}

Severity weighed(Severity severity, const Source& source) {
  return source.read ? severity : Severity::note;
}

std::string cited(const Source& source) {
  return source.read ? source.text : source.text + " (not confirmed)";
}

std::string printable(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most && most > 3;
  std::string result(cut ? text.substr(0, most - 3) : text.substr(0, most));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return cut ? result + "..." : result;
}

std::string sentence(std::string_view text) {
  std::string result(text);
  if (!result.empty() && result.back() != '.' && result.back() != '!' && result.back() != '?') result += '.';
  return result;
}

std::string seen(const Inventory& inventory, std::string_view key, std::string_view label) {
  const Item* const item = inventory.find(key);
  if (item == nullptr) return "";
  const std::string_view name = label.substr(0, label.find_last_not_of(" :=") + 1);
  const std::string place = item->source.empty() ? "" : fmt::format(" ({})", printable(item->source));
  switch (item->presence) {
    case Presence::present:
      return fmt::format("{} {}{}", label, item->value.empty() ? "(empty)" : printable(item->value), place);
    case Presence::absent:
      return fmt::format("{}: absent{}", name, place);
    case Presence::unreadable:
      break;
  }
  return fmt::format("{}: may not be read{}{}", name,
                     item->needs.empty() ? "" : ", needs " + printable(item->needs), place);
}

void add_seen(Finding& finding, const Inventory& inventory, std::initializer_list<Labelled> items) {
  for (const Labelled& item : items) {
    std::string text = seen(inventory, item.key, item.label);
    if (!text.empty()) finding.evidence.push_back(std::move(text));
  }
}

void add_entries(Finding& finding, const Inventory& inventory, std::string_view prefix,
                 std::string_view label, std::size_t most) {
  for (const std::string& child : inventory.children(prefix)) {
    if (most == 0) return;
    const std::string key = fmt::format("{}.{}", prefix, child);
    if (!inventory.has(key)) continue;
    finding.evidence.push_back(seen(inventory, key, label));
    --most;
  }
}

bool is(const Inventory& inventory, std::string_view key, std::string_view value) {
  const Item* const item = inventory.find(key);
  return item != nullptr && item->presence == Presence::present && item->value == value;
}

bool missing(const Inventory& inventory, std::string_view key) {
  const Item* const item = inventory.find(key);
  return item != nullptr && item->presence == Presence::absent;
}

std::optional<double> number_of(const Inventory& inventory, std::string_view key) {
  return result::number_in<double>(inventory.value(key));
}

std::optional<int> code_of(const Inventory& inventory, std::string_view key) {
  return result::number_in<int>(inventory.value(key));
}

std::optional<Version> version_of(const Inventory& inventory, std::string_view key) {
  return Version::parse(inventory.value(key));
}

std::string container_of(const Inventory& inventory) {
  const std::string kind = inventory.value("container.kind");
  return kind == "none" ? "" : printable(kind, 40);
}

bool in_wsl(const Inventory& inventory) {
  return is(inventory, "host.os", "wsl2") || is(inventory, "driver.libcuda_kind", "wsl");
}

std::vector<std::string> vgpu_steps(const Inventory& inventory) {
  const bool guest = is(inventory, "vgpu.guest", "yes");
  if (!guest && !is(inventory, "vgpu.host", "yes")) return {};
  return {guest ? "Ask the administrator of this virtual machine's host which guest driver its vGPU release "
                  "takes: others do not load for a vGPU"
                : "Take the vGPU manager of a newer vGPU release for this hypervisor, once its release notes "
                  "name the drivers of the guests; a data-centre driver would end vGPU on this host",
          "See whether a guest's branch fits a host's: gpugauge doctor --plan "
          "driver=<guest's>,vgpu_host=<host's>"};
}

bool in_virtual_machine(const Inventory& inventory) {
  const std::string kind = inventory.value("host.virtualization");
  return !kind.empty() && kind != "none" && kind != "absent" && kind != "unreadable" && kind != "unknown";
}

bool cuda_works(const Inventory& inventory) {
  return code_of(inventory, "cuda.init.code") == 0 && number_of(inventory, "cuda.devices").value_or(0) > 0;
}

std::string GpuView::key(std::string_view fact) const {
  return fmt::format("gpu.{}.{}", index_, fact);
}

std::string GpuView::value(std::string_view fact) const {
  return inventory_->value(key(fact));
}

std::string GpuView::shown(std::string_view fact) const {
  const std::string text = value(fact);
  return text.empty() ? "absent" : printable(text, 80);
}

std::optional<double> GpuView::number(std::string_view fact) const {
  return result::number_in<double>(value(fact));
}

bool GpuView::is(std::string_view fact, std::string_view word) const {
  return stack::is(*inventory_, key(fact), word);
}

std::string GpuView::name() const {
  const std::string pci = value("pci");
  return pci.empty() ? "GPU " + index_ : fmt::format("GPU {} ({})", index_, printable(pci, 40));
}

GpuViews gpus_of(const Inventory& inventory) {
  GpuViews gpus;
  for (const std::string& index : inventory.children("gpu"))
    if (result::number_in<int>(index)) gpus.emplace_back(inventory, index);
  return gpus;
}

std::string named(const GpuViews& some, std::size_t all) {
  if (some.size() == 1) return "GPU " + some.front().index();
  if (some.size() == all) return fmt::format("all {} GPUs", all);
  std::vector<std::string> parts = runs(some);
  if (parts.size() == 1) return "GPUs " + parts.front();
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("GPUs {} and {}", fmt::join(parts, ", "), last);
}

namespace {

/// True for a whole word, or several: "A100" is in "NVIDIA A100-SXM4-80GB" but not in "NVIDIA A1000".
bool names_model(std::string_view name, std::string_view model) {
  const auto in_word = [&](std::size_t at) {
    return at < name.size() && std::isalnum(static_cast<unsigned char>(name[at])) != 0;
  };
  for (auto at = name.find(model); at != std::string_view::npos; at = name.find(model, at + 1)) {
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + model.size())) return true;
  }
  return false;
}

}  // namespace

bool concerns(const Inventory& inventory, const KnownIssue& issue) {
  const GpuViews gpus = gpus_of(inventory);
  const auto any = [&](const auto& says) {
    return gpus.empty() || std::any_of(gpus.begin(), gpus.end(), says);
  };
  if (!issue.gpus.empty() && !any([&](const GpuView& gpu) {
        const std::string name = gpu.value("name");
        return name.empty() ||
               std::any_of(issue.gpus.begin(), issue.gpus.end(),
                           [&](const std::string& model) { return names_model(name, model); });
      }))
    return false;
  if ((issue.compute_capability.least || issue.compute_capability.most) && !any([&](const GpuView& gpu) {
        const auto capability = Version::parse(gpu.value("compute_capability"));
        return !capability || issue.compute_capability.contains(*capability);
      }))
    return false;
  const std::string processor = inventory.value("host.cpu_model");
  if (!issue.processor.empty() && !processor.empty() && !processor.starts_with(issue.processor)) return false;
  return issue.gpus_least == 0 || gpus.empty() || gpus.size() >= static_cast<std::size_t>(issue.gpus_least);
}

bool consumer(const GpuView& gpu) {
  const std::string text = gpu.value("name") + " " + gpu.value("brand");
  constexpr auto none = std::string_view::npos;
  return text.find("GeForce") != none || text.find("TITAN") != none || text.find("Titan") != none;
}

std::optional<std::string> majority(const std::vector<std::string>& values) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& value : values)
    if (++counts[value] * 2 > values.size()) return value;
  return std::nullopt;
}

std::vector<Xid> xids_of(const Inventory& inventory) {
  return errors_below(inventory, "kernel_log.xid");
}

std::vector<Xid> errors_below(const Inventory& inventory, std::string_view list) {
  std::vector<Xid> xids;
  for (const std::string& child : inventory.children(list)) {
    const std::string value = printable(inventory.value(fmt::format("{}.{}", list, child)), 300);
    std::string_view rest = value;
    std::string_view word = take_word(rest);
    std::size_t time_end = 0;  // a time may hold blanks; it ends where the address begins
    while (!word.empty() && !is_pci_address(word)) {
      time_end = static_cast<std::size_t>(word.data() + word.size() - value.data());
      word = take_word(rest);
    }
    const std::optional<int> parsed = result::number_in<int>(take_word(rest));
    if (word.empty() || !parsed) continue;
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    xids.push_back({value.substr(0, time_end), std::string(word), *parsed, std::string(rest)});
  }
  return xids;
}

}  // namespace gpugauge::stack
