#include "diagnose/causes/logged.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::diagnose {
namespace {

/// The parts between separators, each stripped. Of blanks several separate as one does.
std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  for (const std::string& part : result::split(text, at))
    if (const std::string_view bare = result::stripped(part); at != ' ' || !bare.empty())
      out.emplace_back(bare);
  return out;
}

/// The member that a column of nvidia-smi fills; nullptr for any other.
std::optional<double> SmiRow::*member_of(std::string_view column) {
  const std::string name = lower(column.substr(0, std::min(column.find(' '), column.size())));
  if (name == "gpu" || name == "index") return &SmiRow::gpu;
  if (name == "pwr" || name.starts_with("power.draw")) return &SmiRow::power;
  if (name == "pclk" || name == "clocks.sm" || name == "clocks.gr" || name == "clocks.current.sm" ||
      name == "clocks.current.graphics")
    return &SmiRow::clock;
  if (name == "clocks.max.sm" || name == "clocks.max.gr" || name == "clocks.max.graphics")
    return &SmiRow::most;
  if (name == "sm" || name == "utilization.gpu") return &SmiRow::busy;
  if (name == "pstate") return &SmiRow::pstate;
  if (name == "clocks_throttle_reasons.active" || name == "clocks_event_reasons.active")
    return &SmiRow::reasons;
  return nullptr;
}

std::optional<double> cell_of(const std::string& text) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    if (text.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string::npos) return std::nullopt;
    return text.find_first_not_of('0', 2) == std::string::npos ? 0 : 1;
  }
  const bool state = text.size() > 1 && (text[0] == 'P' || text[0] == 'p') &&
                     std::isdigit(static_cast<unsigned char>(text[1])) != 0;
  return result::leading_number<double>(state ? text.substr(1) : text);
}

/// The columns that a line announces: a header, or a command that prints rows.
std::vector<std::string> columns_of(const std::string& line, char& between) {
  constexpr std::string_view query = "--query-gpu=";
  if (const std::size_t at = line.find(query); at != std::string::npos) {
    between = ',';
    const std::size_t begin = at + query.size();
    return split(std::string_view(line).substr(begin, line.find(' ', begin) - begin), ',');
  }
  if (line.starts_with("# gpu")) {
    between = ' ';
    return split(std::string_view(line).substr(1), ' ');
  }
  if (!contains_any(line, {"pstate,", ", pstate", "clocks.", "power.draw", "utilization.gpu"})) return {};
  std::vector<std::string> columns = split(line, ',');
  const auto known = std::count_if(columns.begin(), columns.end(),
                                   [](const std::string& column) { return member_of(column) != nullptr; });
  if (known < 2) return {};
  between = ',';
  return columns;
}

constexpr double all_the_time = 90;
constexpr double hardly_ever = 5;

bool is_busy(const SmiRow& row) {
  return row.busy.value_or(0) >= all_the_time;
}

bool is_command_of_clocks(const std::string& line) {
  return contains_any(line, {"nvidia-smi*-rgc", "nvidia-smi*-rac", "reset-gpu-clocks",
                             "reset-applications-clocks", "clocks reset to default"});
}

/// The processors of a list such as "0-31,64-95"; empty for any other text.
std::set<int> processors_of(std::string_view text) {
  std::set<int> out;
  for (const std::string& part : split(text, ',')) {
    if (part.empty() || part.find_first_not_of("0123456789-") != std::string::npos) return {};
    const std::size_t dash = part.find('-');
    const auto first = result::leading_number<double>(part);
    const auto last =
        dash == std::string::npos ? first : result::leading_number<double>(part.substr(dash + 1));
    constexpr double most = 8192;
    if (!first || !last || *first > *last || *last > most) return {};
    for (int one = static_cast<int>(*first); one <= static_cast<int>(*last); ++one) out.insert(one);
  }
  return out;
}

std::optional<double> last_number(std::string_view line) {
  const std::size_t end = line.find_last_of("0123456789");
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end + 1;
  while (begin > 0 &&
         (std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0 || line[begin - 1] == '.'))
    --begin;
  return result::leading_number<double>(std::string(line.substr(begin, end + 1 - begin)));
}

}  // namespace

std::vector<SmiRow> smi_rows(const Seen& seen) {
  std::vector<SmiRow> out;
  std::vector<std::string> columns;
  char between = ',';
  const auto& log = seen.it().log;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (std::vector<std::string> found = columns_of(log[i], between); !found.empty()) {
      columns = std::move(found);
      continue;
    }
    const std::vector<std::string> cells = split(log[i], between);
    if (columns.empty() || cells.size() != columns.size()) continue;
    SmiRow row{.line = i};
    for (std::size_t at = 0; at < cells.size(); ++at)
      if (const auto member = member_of(columns[at]); member != nullptr) row.*member = cell_of(cells[at]);
    if (row.clock || row.power) out.push_back(row);
  }
  return out;
}

Fact clock_rises_from_idle(const Seen& seen) {
  constexpr double clearly = .8;
  constexpr double saving = 5;
  const std::vector<SmiRow> rows = smi_rows(seen);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const SmiRow& idle = rows[i];
    const SmiRow& first = rows[i + 1];
    const bool idles = idle.busy ? *idle.busy <= hardly_ever : idle.pstate.value_or(0) >= saving;
    if (!idles || idle.pstate.value_or(saving) < saving || first.busy.value_or(0) <= hardly_ever ||
        !first.clock)
      continue;
    for (std::size_t later = i + 2; later < rows.size(); ++later)
      if (is_busy(rows[later]) && rows[later].gpu == first.gpu &&
          *first.clock < clearly * rows[later].clock.value_or(0))
        return fmt::format("log: the clock is {:g} MHz when the work begins and {:g} MHz later", *first.clock,
                           *rows[later].clock);
  }
  return std::nullopt;
}

Fact slower_behind_pause(const Seen& seen) {
  constexpr double clearly = 1.4;
  std::optional<double> before;
  bool paused = false;
  for (const std::string& line : seen.it().log) {
    const std::size_t unit = line.rfind(" ms");
    const std::size_t colon = line.find(": ");
    const bool numbered = colon != std::string::npos && colon > 0 &&
                          std::isdigit(static_cast<unsigned char>(line[colon - 1])) != 0;
    if (numbered && unit != std::string::npos && unit + 3 == line.size()) {
      const auto now = result::leading_number<double>(result::stripped(line.substr(colon + 1)));
      if (now && before && paused && *now >= clearly * *before)
        return fmt::format("log: behind a pause it takes {:g} ms, and {:g} ms before it", *now, *before);
      if (now) before = now;
      paused = false;
    } else if (contains_any_word(line, {"without requests", "no requests", "idle", "pause", "sleep", "waited",
                                        "gap", "quiet"})) {
      paused = true;
    }
  }
  return std::nullopt;
}

Fact draws_less_at_same_clock(const Seen& seen) {
  constexpr double same = .97;
  constexpr double far_less = .75;
  const std::vector<SmiRow> rows = smi_rows(seen);
  const bool no_reason =
      contains_any(fmt::format("{}", fmt::join(seen.it().log, "\n")), {"_reasons.active*0x0000000000000000"});
  for (const SmiRow& less : rows)
    for (const SmiRow& more : rows) {
      if (!is_busy(less) || !is_busy(more) || !less.gpu || !more.gpu || less.gpu == more.gpu || !less.clock ||
          !more.clock || !less.power || !more.power)
        continue;
      if (less.reasons.value_or(no_reason ? 0 : 1) != 0) continue;
      if (*less.clock >= same * *more.clock && *less.power < far_less * *more.power)
        return fmt::format(
            "log: GPU {:g} draws {:g} W at {:g} MHz and GPU {:g} {:g} W, both all the time busy, without a reason",
            *less.gpu, *less.power, *less.clock, *more.gpu, *more.power);
    }
  return std::nullopt;
}

Fact clock_set_in_vain(const Seen& seen) {
  constexpr double clearly = .85;
  const auto& log = seen.it().log;
  const auto command = std::find_if(log.begin(), log.end(), is_command_of_clocks);
  if (command == log.end()) return std::nullopt;
  for (const SmiRow& row : smi_rows(seen))
    if (row.line > static_cast<std::size_t>(command - log.begin()) && is_busy(row) && row.reasons == 0.0 &&
        row.clock && row.most && *row.clock < clearly * *row.most)
      return fmt::format(
          "log: behind \"{}\" the clock is {:g} MHz of {:g}, all the time busy, without a reason", *command,
          *row.clock, *row.most);
  return std::nullopt;
}

Fact runs_beside_gpus_processors(const Seen& seen) {
  std::set<int> of_gpu;
  std::set<int> of_process;
  for (const std::string& line : seen.it().log) {
    // nvidia-smi topo -m puts tabs between its columns.
    std::string row = line;
    std::replace(row.begin(), row.end(), '\t', ' ');
    const std::vector<std::string> words = split(row, ' ');
    // Which of them is the process's is not told, so all of them count.
    if (!words.empty() && words[0].starts_with("GPU"))
      for (const std::string& word : words) {
        if (word.find('-') == std::string::npos) continue;
        of_gpu.merge(processors_of(word));
        break;
      }
    for (const std::string_view name : {"affinity list: ", "Cpus_allowed_list: ", "Cpus_allowed_list:\t"})
      if (const std::size_t at = line.find(name); at != std::string::npos)
        of_process = processors_of(result::stripped(std::string_view(line).substr(at + name.size())));
  }
  if (of_gpu.empty() || of_process.empty()) return std::nullopt;
  for (const int one : of_process)
    if (of_gpu.contains(one)) return std::nullopt;
  return fmt::format("log: the process may use processors {} to {}, and the GPU's are {} to {}",
                     *of_process.begin(), *of_process.rbegin(), *of_gpu.begin(), *of_gpu.rbegin());
}

Fact copies_faster_bound(const Seen& seen) {
  constexpr double clearly = 1.3;
  for (const std::string_view copy : {"Host to Device", "Device to Host", "H2D", "D2H", "HtoD", "DtoH"}) {
    std::optional<double> free;
    std::optional<double> bound;
    for (const std::string& line : seen.it().log)
      if (contains(line, copy))
        (contains_any_word(line, {"numactl", "taskset"}) ? bound : free) = last_number(line);
    if (free && bound && *bound >= clearly * *free)
      return recovering(fmt::format("log: {} at {:g}, bound to processors at {:g}", copy, *free, *bound));
  }
  return std::nullopt;
}

std::optional<double> rate_of(std::string_view line) {
  // size, count, type, operation, root, time, algorithm's and bus bandwidth
  const std::vector<std::string> words = split(line, ' ');
  constexpr std::size_t columns = 8;
  constexpr std::array<std::string_view, 5> types{"float", "half", "bfloat16", "double", "int8"};
  if (words.size() >= columns && std::find(types.begin(), types.end(), words[2]) != types.end())
    return result::leading_number<double>(words[columns - 1]);
  constexpr std::array<std::pair<std::string_view, bool>, 20> units{{{"tokens per second", true},
                                                                     {"tokens/s", true},
                                                                     {"tok/s", true},
                                                                     {"t/s", true},
                                                                     {"it/s", true},
                                                                     {"iter/s", true},
                                                                     {"iterations/s", true},
                                                                     {"img/s", true},
                                                                     {"images/s", true},
                                                                     {"images/sec", true},
                                                                     {"samples/s", true},
                                                                     {"steps/s", true},
                                                                     {"fps", true},
                                                                     {"GB/s", true},
                                                                     {"TFLOPS", true},
                                                                     {"ms", false},
                                                                     {"s/it", false},
                                                                     {"us", false},
                                                                     {"seconds", false},
                                                                     {"s", false}}};
  for (const auto& [unit, rate] : units)
    for (std::size_t at = line.rfind(unit); at != std::string_view::npos && at > 0;
         at = line.rfind(unit, at - 1)) {
      const std::size_t end = at + unit.size();
      const bool whole = end == line.size() || (std::isalnum(static_cast<unsigned char>(line[end])) == 0);
      std::size_t begin = line[at - 1] == ' ' ? at - 1 : at;
      const std::size_t digits = begin;
      while (begin > 0 &&
             (std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0 || line[begin - 1] == '.'))
        --begin;
      const auto value = result::leading_number<double>(std::string(line.substr(begin, digits - begin)));
      if (whole && value && *value > 0) return rate ? *value : 1 / *value;
    }
  return std::nullopt;
}

std::vector<LoggedRun> logged_runs(const Seen& seen, std::string_view label) {
  std::vector<LoggedRun> out;
  std::set<std::string> hosts;
  bool open = false;
  for (const std::string& line : seen.it().log) {
    const std::size_t at = lower(line).find(lower(label));
    const std::string behind(at == std::string::npos
                                 ? std::string_view()
                                 : result::stripped(std::string_view(line).substr(at + label.size())));
    if (!behind.empty() && std::isdigit(static_cast<unsigned char>(behind.front())) != 0) {
      // "node3:1234:1240 [0] NCCL INFO ..."
      const std::size_t colon = line.find(':');
      if (at > 0 && colon < at) hosts.insert(line.substr(0, colon));
      out.push_back({behind.substr(0, behind.find_first_of(" +,)|")), 0});
      open = true;
    } else if (const auto rate =
                   open && !contains_any(line, {"loaded", "loading", "init", "download", "checkpoint"})
                       ? rate_of(line)
                       : std::nullopt) {
      out.back().rate = *rate;
      open = false;
    }
  }
  if (hosts.size() > 1) return {};
  std::erase_if(out, [](const LoggedRun& run) { return run.rate <= 0; });
  return out;
}

Fact slower_under_later_version(const std::vector<LoggedRun>& runs, std::string_view component) {
  for (const LoggedRun& run : runs)
    if (run.version != runs.front().version && run.rate * slower_from < runs.front().rate)
      return fmt::format("log: {} {} is {:.3g} times as slow as {}", component, run.version,
                         runs.front().rate / run.rate, runs.front().version);
  return std::nullopt;
}

Fact faster_again_under_first(const std::vector<LoggedRun>& runs, std::string_view component) {
  constexpr double same = .95;
  bool slow = false;
  for (const LoggedRun& run : runs) {
    if (run.version != runs.front().version)
      slow = slow || run.rate * slower_from < runs.front().rate;
    else if (slow && run.rate >= same * runs.front().rate)
      return recovering(fmt::format("log: with {} {} again it is as fast as before", component, run.version));
  }
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
