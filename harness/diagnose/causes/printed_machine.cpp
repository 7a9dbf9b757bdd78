#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "diagnose/causes/printed.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

/// Reads a number at `at` and moves behind it; nullopt where none stands there.
std::optional<double> number_at(std::string_view text, std::size_t& at) {
  std::size_t end = at;
  while (end < text.size() &&
         (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]))))
    ++end;
  if (end == at) return std::nullopt;
  const std::string digits(text.substr(at, end - at));
  at = end;
  return std::strtod(digits.c_str(), nullptr);
}

/// Amounts of memory in a text, in MiB or the like: "46068 MiB", "22.5 GB", but no rate.
std::vector<double> amounts(std::string_view text) {
  std::vector<double> out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at]) || (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.'))) continue;
    std::size_t behind = at;
    const std::optional<double> number = number_at(text, behind);
    if (!number) continue;
    at = behind - 1;
    while (behind < text.size() && text[behind] == ' ') ++behind;
    const std::string unit = lower(text.substr(behind, 4));
    if (unit.starts_with("mib") || unit.starts_with("mb")) out.push_back(*number);
    constexpr double mib_in_gib = 1024;
    if ((unit.starts_with("gib") || unit.starts_with("gb")) && unit.find('/') == std::string::npos)
      out.push_back(*number * mib_in_gib);
  }
  return out;
}

/// A clock in MHz behind a word: "1.50 GHz", "1500 MHz".
std::optional<double> clock_after(std::string_view text, std::string_view word) {
  const std::optional<double> number = number_after(text, word);
  if (!number) return std::nullopt;
  constexpr double in_ghz = 20;
  constexpr double mhz_in_ghz = 1000;
  return *number < in_ghz ? *number * mhz_in_ghz : *number;
}

}  // namespace

std::optional<double> number_after(std::string_view text, std::string_view word) {
  const std::string low = lower(text);
  const std::string wanted = lower(word);
  for (std::size_t at = low.find(wanted); at != std::string::npos; at = low.find(wanted, at + 1)) {
    std::size_t behind = std::min(low.find_first_not_of(" \t:='\"(|", at + wanted.size()), low.size());
    if (const std::optional<double> number = number_at(low, behind)) return number;
  }
  return std::nullopt;
}

std::vector<std::string> printed_lines(const Seen& seen) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out.push_back(line);
  };
  for (const std::string& line : seen.it().log) add(line);
  for (const ErrorSeen& error : seen.it().errors) add(error.text);
  for (const Metric& metric : seen.it().metrics) add(metric.note);
  return out;
}

Fact sixteenth_of_memory_missing(const Seen& seen) {
  std::vector<double> totals;
  for (const std::string& line : printed_lines(seen)) {
    const bool of_a_side = contains_any(line, {"before:", "after:", "before ", "after ", "now:", "was:"});
    const bool total = contains_any_word(line, {"total", "capacity"}) || (of_a_side && contains(line, "MiB"));
    // 15 of 16 GB in use are a sixteenth less, too.
    if (!total ||
        contains_any_word(line, {"used", "in use", "uses", "out of memory", "allocated", "free", "host",
                                 "ram", "swap", "tmp", "disk", "system", "data sheet", "datasheet", "spec"}))
      continue;
    for (const double amount : amounts(line)) totals.push_back(amount);
  }
  if (seen.it().changed)
    for (const auto& [field, change] : *seen.it().changed)
      if (contains(field, "memory*total") || contains(field, "total*memory"))
        for (const Value* side : {&change.before, &change.after})
          if (side->number()) totals.push_back(*side->number());
  constexpr double least_mib = 2000;
  constexpr double share = 15. / 16;
  constexpr double rounding = .0011;
  for (const double more : totals)
    for (const double less : totals)
      if (less >= least_mib && less / more > share - rounding && less / more < share + rounding)
        return fmt::format("of {:.0f} MiB a sixteenth is missing, which is what ECC takes", more);
  return std::nullopt;
}

Fact processors_at_lowest_clock(const Seen& seen) {
  std::optional<double> lowest, highest, now;
  for (const std::string& line : printed_lines(seen)) {
    if (contains(line, "frequency should be within")) {
      lowest = clock_after(line, "within");
      highest = clock_after(line, " and ");
    }
    for (const std::string_view name : {"current CPU frequency:", "current CPU frequency is"})
      if (!now) now = clock_after(line, name);
    // turbostat: the clock of those that are busy. No server's or desktop's base clock is so low.
    constexpr double far_below = 1500;
    constexpr double busy_percent = 50;
    const std::optional<double> busy = number_after(line, "Bzy_MHz");
    if (busy && *busy < far_below && number_after(line, "Busy%").value_or(0) > busy_percent)
      return fmt::format("busy processors run at {:.0f} MHz", *busy);
  }
  // lscpu
  for (const std::string& line : printed_lines(seen)) {
    if (!lowest) lowest = clock_after(line, "CPU min MHz");
    if (!highest) highest = clock_after(line, "CPU max MHz");
  }
  constexpr double rounding = 1.03;
  constexpr double clearly = .85;
  if (!lowest || !highest || !now || *now > *lowest * rounding || *now > *highest * clearly)
    return std::nullopt;
  return fmt::format("the processors run at {:.0f} MHz, the lowest clock of their policy", *now);
}

Fact clock_policy_limited(const Seen& seen) {
  std::optional<double> allowed, possible;
  for (const std::string& line : printed_lines(seen)) {
    if (contains(line, "frequency should be within")) allowed = clock_after(line, " and ");
    if (contains(line, "hardware limits")) possible = clock_after(line, " - ");
  }
  constexpr double clearly = .85;
  if (!allowed || !possible || *allowed > clearly * *possible) return std::nullopt;
  return fmt::format("the policy allows {:.0f} of {:.0f} MHz", *allowed, *possible);
}

Fact remap_printed(const Seen& seen) {
  bool rows = false;
  for (const std::string& line : printed_lines(seen)) {
    const std::size_t first = line.find_first_not_of(" \t");
    const std::string_view field =
        first == std::string::npos ? std::string_view() : std::string_view(line).substr(first);
    const bool telling = field.starts_with("Pending") || field.starts_with("Remapping Failure Occurred");
    const bool of_rows = telling || field.starts_with("Correctable Error") ||
                         field.starts_with("Uncorrectable Error") || field.starts_with("Bank Remap");
    const std::size_t colon = field.find(':');
    if (rows && telling && colon != std::string_view::npos) {
      const std::size_t value = field.find_first_not_of(' ', colon + 1);
      if (value != std::string_view::npos && field.substr(value).starts_with("Yes"))
        return fmt::format("nvidia-smi of the remapped rows: \"{}\"", line);
    }
    // The block ends with the first line that is none of its fields.
    rows = contains(line, "Remapped Rows") || (rows && of_rows);
  }
  return std::nullopt;
}

Fact pcie_replays(const Seen& seen) {
  constexpr double many = 1000;
  for (const std::string& line : printed_lines(seen))
    for (const std::string_view name :
         {"replays since reset", "pcie replay counter", "pcie replay count", "pcie.replay_counter"})
      if (number_after(line, name).value_or(0) >= many)
        return fmt::format("the PCIe link sends again: \"{}\"", line);
  return std::nullopt;
}

Fact fewer_lanes_printed(const Seen& seen) {
  std::optional<double> possible;
  bool card = false;
  bool width = false;
  const std::optional<double> read = seen.number("pcie_width");
  if (read && read == seen.number("pcie_width_max")) return std::nullopt;
  // Laptops wire fewer lanes than the chip has.
  if (seen.gpu_is({"laptop", "mobile", "max-q", "notebook"})) return std::nullopt;
  for (const std::string& line : printed_lines(seen)) {
    // "3b:00.0 Ethernet controller: ...", also with a domain before it.
    const bool header = line.size() > 7 && std::isxdigit(static_cast<unsigned char>(line[0])) != 0 &&
                        (line[2] == ':' || line[4] == ':') && contains(line, ": ");
    if (header || contains_any(line, {" controller:", "PCI bridge", "NVMe"})) {
      card = !contains_any(line, {"VGA compatible controller", "3D controller"});
      possible.reset();
    }
    if (card) continue;
    // "LnkCap: Port #0, Speed 16GT/s, Width x16", and the same of LnkSta; or "Link Width", and below it "Max : 16x".
    if (contains(line, "LnkCap:")) possible = number_after(line, "Width x");
    if (contains(line, "Link Width")) {
      width = true;
      possible.reset();
    }
    std::optional<double> now;
    if (contains(line, "LnkSta:")) now = number_after(line, "Width x");
    if (width && contains(line, "Max")) possible = number_after(line, "Max");
    if (width && contains(line, "Current")) {
      now = number_after(line, "Current");
      width = false;
    }
    if (possible && now && *now > 0 && *now < *possible)
      return fmt::format("the link has {:g} of {:g} lanes", *now, *possible);
  }
  return std::nullopt;
}

Fact port_errors_counted(const Seen& seen) {
  constexpr double many = 100;
  for (const std::string& line : printed_lines(seen))
    for (const std::string_view name : {"SymbolErrorCounter", "symbol_error", "LinkErrorRecoveryCounter",
                                        "LinkDownedCounter", "link_downed", "link_error_recovery",
                                        "rx_symbol_err_phy", "rx_pcs_symbol_err_phy", "PortRcvErrors"}) {
      std::string plain = line;
      const std::size_t at = lower(plain).find(lower(name));
      if (at == std::string::npos) continue;
      // perfquery fills with dots.
      plain.erase(0, std::min(plain.find_first_not_of(".: =", at + name.size()), plain.size()));
      if (number_after(" " + plain, " ").value_or(0) >= many)
        return fmt::format("a port counts errors: \"{}\"", line);
    }
  return std::nullopt;
}

Fact nvlinks_of_pair_differ(const Seen& seen) {
  std::map<std::pair<std::string, std::string>, int> links;
  for (const std::string& line : printed_lines(seen)) {
    std::string marked = line;
    std::replace_if(
        marked.begin(), marked.end(), [](char c) { return c == ',' || c == ':' || c == ';' || c == '='; },
        ' ');
    std::istringstream words(marked);
    std::string left, right, one;
    while (words >> one) {
      if (one.starts_with("GPU") && one.size() > 3 && is_digit(one[3])) {
        left = right.empty() ? left : right;
        right = one;
        if (left.empty()) left = one;
      } else if (one.starts_with("NV") && one.size() > 2 && is_digit(one[2]) && left != right) {
        const int count = result::leading_number<int>(std::string_view(one).substr(2)).value_or(0);
        const auto [before, added] = links.try_emplace(std::minmax(left, right), count);
        if (!added && before->second != count)
          return fmt::format("{} and {} have {} NVLinks on one machine and {} on another", left, right,
                             std::min(count, before->second), std::max(count, before->second));
        left.clear();
        right.clear();
      }
    }
  }
  return std::nullopt;
}

Fact card_link_downgraded(const Seen& seen) {
  bool card = false;
  for (const std::string& line : printed_lines(seen)) {
    if (contains_any(line, {"Mellanox", "ConnectX", "Infiniband controller", "Elastic Fabric"}))
      card = true;
    else if (contains_any(line, {" controller:", " controller [", "PCI bridge"}))
      card = false;
    if (card && contains(line, "LnkSta*downgraded"))
      return fmt::format("lspci of the network card: \"{}\"", line);
  }
  return std::nullopt;
}

Fact below_chipset_with_others(const Seen& seen) {
  const auto branches = [](const std::string& row) {
    std::vector<std::size_t> out;
    for (std::size_t at = 1; at < row.size(); ++at)
      if (row[at] == '-' && (row[at - 1] == '+' || row[at - 1] == '\\')) out.push_back(at);
    return out;
  };
  std::vector<std::pair<std::string, std::vector<std::size_t>>> rows;
  std::size_t root = std::string::npos;
  for (const std::string& line : printed_lines(seen)) {
    std::vector<std::size_t> at = branches(line);
    // The first row shows the root itself.
    if (at.empty() || line.find_first_not_of(" |+-\\") == std::string::npos) continue;
    root = std::min(root, at.front());
    rows.emplace_back(line, std::move(at));
  }
  bool with_others = false;
  for (const auto& [gpu, at] : rows) {
    if (!contains(gpu, "NVIDIA")) continue;
    for (const auto& [other, there] : rows)
      if (!contains(other, "NVIDIA") &&
          contains_any(other, {"NVMe", "Ethernet", "Network", "SATA", "USB", "Wi-Fi", "Wireless"}))
        for (const std::size_t branch : at)
          with_others = with_others ||
                        (branch > root + 1 && std::find(there.begin(), there.end(), branch) != there.end());
  }
  if (!with_others) return std::nullopt;
  return in_words("a GPU lies with disks or network cards below one bridge",
                  seen.told({"Matisse Switch Upstream", "Chipset*Switch Upstream", "Series Chipset",
                             "Chipset Family", "PCH PCI", "PCH PCIe"}));
}

Fact fewer_multiprocessors(const Seen& seen) {
  struct Model {
    std::string_view name;
    double multiprocessors;  ///< of its smallest form
  };
  // NVIDIA's architecture papers; the H100 of PCIe has 114, all others more.
  constexpr std::array<Model, 6> models{
      {{"A100", 108}, {"A30", 56}, {"H100", 114}, {"H200", 132}, {"B200", 148}, {"GH200", 132}}};
  // MPS may be told to show a share of them.
  if (seen.environment("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")) return std::nullopt;
  const std::vector<std::string> lines = printed_lines(seen);
  for (const Model& model : models) {
    const bool named =
        contains_whole_words(seen.it().about.gpu, model.name) ||
        (seen.it().about.gpu.empty() && std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
           return contains_whole_words(line, model.name);
         }));
    if (!named) continue;
    for (const std::string& line : lines) {
      // Another GPU's line.
      if (seen.it().about.gpu.empty() && !contains_whole_words(line, model.name) && contains(line, "Device "))
        continue;
      std::optional<double> count = number_after(line, "multi_processor_count");
      if (!count) count = number_after(line, "multiProcessorCount");
      if (!count)
        for (std::size_t at = line.find("ultiprocessors"); at != std::string::npos && at > 2;
             at = line.find("ultiprocessors", at + 1)) {
          std::size_t end = line.find_last_not_of(" ()", at - 2);
          std::size_t begin = end;
          while (begin != std::string::npos && begin > 0 && is_digit(line[begin - 1])) --begin;
          if (end != std::string::npos && is_digit(line[end])) count = number_at(line, begin);
          if (count) break;
        }
      constexpr double clearly = .9;
      if (count && *count > 0 && *count < clearly * model.multiprocessors)
        return fmt::format("the {} shows {:g} multiprocessors", model.name, *count);
    }
  }
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
