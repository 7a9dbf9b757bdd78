// Parses NCCL's log: version, paths, channels, the algorithms it chose, and why.
#include "nccl/log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include "result/error.hpp"
#include "result/nccl_lines.hpp"
#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::bench::nccl {

namespace {

using result::is_digit;
using result::lower;

/// Translates the numbers of older versions, in the order of NCCL's own tables.
std::string algorithm_name(const std::string& word) {
  constexpr std::array names{"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
  if (word.size() == 1 && word[0] >= '0' && word[0] - '0' < static_cast<int>(names.size()))
    return names[static_cast<std::size_t>(word[0] - '0')];
  return lower(word);
}

std::string protocol_name(const std::string& word) {
  constexpr std::array names{"ll", "ll128", "simple"};
  if (word.size() == 1 && word[0] >= '0' && word[0] - '0' < static_cast<int>(names.size()))
    return names[static_cast<std::size_t>(word[0] - '0')];
  return lower(word);
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The longest part at the end, or at the beginning, in which every letter passes.
std::string_view last_of(std::string_view text, bool (*passes)(char)) {
  std::size_t from = text.size();
  while (from > 0 && passes(text[from - 1])) --from;
  return text.substr(from);
}
std::string_view first_of(std::string_view text, bool (*passes)(char)) {
  std::size_t end = 0;
  while (end < text.size() && passes(text[end])) ++end;
  return text.substr(0, end);
}

/// The text after the leading words; nullopt where it does not begin with them.
std::optional<std::string_view> after(std::string_view text, std::string_view words) {
  if (!text.starts_with(words)) return std::nullopt;
  return text.substr(words.size());
}

/// Whether the part is a device number: "0" of "NET/IB/0/GDRDMA", "0(3)" of "NET/IB/0(3)/GDRDMA".
bool is_device(std::string_view part) {
  const std::string_view number = first_of(part, is_digit);
  std::string_view rest = part.substr(number.size());
  if (number.empty() || rest.empty()) return !number.empty();
  if (rest.front() != '(' || rest.back() != ')' || rest.size() < 3) return false;
  rest = rest.substr(1, rest.size() - 2);
  return first_of(rest, is_digit).size() == rest.size();
}

/// The kind of a path, without device numbers: "NET/IB/0(3)/GDRDMA" and "NET/IB/1/GDRDMA" are one kind. It
/// also drops what old versions append (" comm 0x5575... nRanks 02").
std::string path_of(std::string_view text) {
  text = text.substr(0, text.find(" comm "));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  if (!text.starts_with("NET/")) return std::string(text);
  std::string path;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('/', start), text.size());
    const std::string_view part = text.substr(start, end - start);
    if (start == 0 || !is_device(part)) path.append(start == 0 ? "" : "/").append(part);
    start = end + 1;
  }
  return path;
}

/// The number before the words: 24 of "24 coll channels, ...".
std::optional<int> count_before(std::string_view line, std::string_view words) {
  for (std::size_t at = line.find(words); at != std::string_view::npos; at = line.find(words, at + 1)) {
    std::string_view before = line.substr(0, at);
    if (!before.ends_with(' ')) continue;
    before.remove_suffix(1);
    if (const auto number = result::number_in<int>(last_of(before, is_digit))) return number;
  }
  return std::nullopt;
}

std::string behind(const std::string& line, const std::string& words) {
  const std::size_t at = line.find(words);
  if (at == std::string::npos) return "";
  std::string rest = line.substr(at + words.size());
  while (!rest.empty() && (rest.back() == '\r' || rest.back() == ' ' || rest.back() == '.')) rest.pop_back();
  return rest;
}

/// The channels of "channel{Lo..Hi}={0..3}": "0..3".
std::string channels_of(std::string_view text) {
  const auto range = after(text, " channel{Lo..Hi}={");
  if (!range) return "";
  const std::string_view low = first_of(*range, is_digit);
  const auto rest = after(range->substr(low.size()), "..");
  if (low.empty() || !rest) return "";
  const std::string_view high = first_of(*rest, is_digit);
  if (high.empty() || !rest->substr(high.size()).starts_with('}')) return "";
  return std::string(low) + ".." + std::string(high);
}

/// Parses "AllReduce: 33554432 Bytes -> Algo NVLS proto LL128 channel{Lo..Hi}={0..15}", or "AllReduce
/// [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLL_R".
void read_choice(std::string_view line, Log& log) {
  constexpr std::string_view arrow = " Bytes -> ";
  for (std::size_t at = line.find(arrow); at != std::string_view::npos; at = line.find(arrow, at + 1)) {
    std::string_view before = line.substr(0, at);
    const std::string_view digits = last_of(before, is_digit);
    const auto bytes = result::number_in<std::uint64_t>(digits);
    if (!bytes) continue;
    before.remove_suffix(digits.size());
    const std::string_view rest = line.substr(at + arrow.size());
    if (const auto choice = after(rest, "Algo ")) {
      const std::string_view algorithm = first_of(*choice, is_word);
      const auto behind_it = after(choice->substr(algorithm.size()), " proto ");
      if (algorithm.empty() || !behind_it) continue;
      const std::string_view protocol = first_of(*behind_it, is_word);
      if (protocol.empty()) continue;
      if (before.ends_with(": "))
        before.remove_suffix(2);
      else
        before = {};
      log.choices.push_back({std::string(last_of(before, is_word)), *bytes,
                             algorithm_name(std::string(algorithm)), protocol_name(std::string(protocol)),
                             channels_of(behind_it->substr(protocol.size()))});
      return;
    }
    constexpr std::string_view mark = " [Symmetric]: ";
    const auto kernel = after(rest, "Kernel ");
    if (!kernel || !before.ends_with(mark)) continue;
    before.remove_suffix(mark.size());
    const std::string_view collective = last_of(before, is_word);
    const std::string_view name =
        first_of(*kernel, [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
    if (collective.empty() || name.empty()) continue;
    log.choices.push_back({std::string(collective), *bytes, "symmetric", std::string(name), ""});
    return;
  }
}

void read_network(const std::string& line, Log& log) {
  if (const std::string name = behind(line, "Using network "); !name.empty()) log.network = name;
  if (line.find("NET/Plugin") == std::string::npos) return;
  if (std::string name = behind(line, "Loaded net plugin "); !name.empty())
    log.plugin = name.substr(0, name.find(" (v"));
  else if (log.plugin.empty() && (line.find("No plugin found") != std::string::npos ||
                                  line.find("sing internal net") != std::string::npos ||
                                  line.find("Could not find") != std::string::npos))
    log.plugin = "none";
}

/// A kind of lines that tell why NCCL goes a way. Of several that are alike up to `alike`, such as one for
/// each network card, the first is kept; "" compares whole lines.
struct Telling {
  std::string_view words;
  std::string_view alike = {};
};
constexpr std::array telling{
    Telling{"NET/Plugin"},
    Telling{"libibverbs"},
    Telling{"GPU Direct RDMA Enabled", " for "},
    Telling{"GPU Direct RDMA Disabled", " for "},
    Telling{"set by environment"},
    Telling{"NET/IB : No device found"},
    Telling{"NET/IB : Using", " ["},
    Telling{"P2P is disabled between", " between "},
};

/// Collects lines of these kinds, few of each.
class Reasons {
 public:
  void read(const std::string& line, std::vector<std::string>& out) {
    constexpr std::size_t most = 3;
    const std::size_t mark = line.find("NCCL INFO ");
    if (mark == std::string::npos) return;
    std::string_view text = std::string_view(line).substr(mark + 10);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    // From 2.30 on NCCL says so before it tries libibverbs.so.1, which is the one that machines have.
    if (text.ends_with("not open libibverbs.so")) return;
    for (std::size_t i = 0; i < telling.size(); ++i) {
      if (text.find(telling[i].words) == std::string_view::npos) continue;
      const std::string_view kept =
          telling[i].alike.empty() ? text : text.substr(0, text.find(telling[i].alike));
      std::vector<std::string>& seen = seen_[i];
      if (seen.size() >= most || std::find(seen.begin(), seen.end(), kept) != seen.end()) return;
      seen.emplace_back(kept);
      out.emplace_back(text);
      return;
    }
  }

 private:
  std::array<std::vector<std::string>, telling.size()> seen_;
};

/// A plugin is asked for NCCL's newer interfaces first, and lacks those without harm.
void drop_older_interfaces(Log& log) {
  if (log.plugin.empty() || log.plugin == "none") return;
  std::erase_if(log.reasons, [](const std::string& line) {
    return line.find("NET/Plugin: Failed to find nccl") != std::string::npos;
  });
}

}  // namespace

Log parse_log(const std::string& text) {
  Log log;
  Reasons reasons;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t warning = line.find("NCCL WARN "); warning != std::string::npos) {
      log.warnings.push_back(line.substr(warning + 10));
      continue;
    }
    if (log.version.empty()) {
      const std::string version = behind(line, "NCCL version ");
      if (!version.empty()) log.version = version.substr(0, version.find(' '));
    }
    if (line.find(" -> ") != std::string::npos && line.find(" via ") != std::string::npos)
      ++log.paths[path_of(std::string_view(line).substr(line.find(" via ") + 5))];
    if (line.find("coll channels") != std::string::npos) {
      log.collective_channels = count_before(line, "coll channels");
      log.nvls_channels = count_before(line, "nvls channels");
    }
    read_network(line, log);
    reasons.read(line, log.reasons);
    if (line.find(" Bytes -> ") != std::string::npos) read_choice(line, log);
  }
  drop_older_interfaces(log);
  return log;
}

std::string in_one(const std::vector<std::string>& lines, std::size_t most) {
  constexpr std::size_t longest = 200;
  std::vector<std::string> kept;
  for (const std::string& line : lines) {
    std::string one = result::one_line(line, longest);
    for (std::size_t at = one.find(result::nccl_between); at != std::string::npos;
         at = one.find(result::nccl_between))
      one.replace(at, result::nccl_between.size(), " / ");
    if (kept.size() < most && std::find(kept.begin(), kept.end(), one) == kept.end())
      kept.push_back(std::move(one));
  }
  std::string out;
  for (const std::string& one : kept) out.append(out.empty() ? "" : result::nccl_between).append(one);
  return out;
}

std::string transport_of(const Log& log) {
  const auto any = [&](const char* start) {
    return std::any_of(log.paths.begin(), log.paths.end(),
                       [&](const auto& path) { return path.first.rfind(start, 0) == 0; });
  };
  if (any("NET/Socket")) return "socket";
  if (any("NET/IB")) return "ib";
  if (any("NET/")) return "net";
  if (any("SHM")) return "shm";
  return any("P2P") ? "p2p" : "";
}

}  // namespace gpugauge::bench::nccl
