// Adds kernel_log.* to the inventory.
#include "stack/inventory/kernel_log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/number.hpp"
#include "result/time.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/nvml.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t log_limit = std::size_t{4} << 20;
constexpr std::size_t told_most = 20;
constexpr std::size_t longest_text = 300;

std::string utc(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::gmtime_r(&whole, &parts) == nullptr) return "unknown";
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", parts);
}

/// Removes the leading "[ 5.678] " and returns its seconds, if there are any.
std::optional<double> take_seconds(std::string_view& text) {
  if (!text.starts_with('[')) return std::nullopt;
  const auto end = text.find("] ");
  if (end == std::string_view::npos) return std::nullopt;
  const auto seconds = result::number_in<double>(stripped(text.substr(1, end - 1)));
  constexpr double longest_run = 1e10;  // three centuries
  if (!seconds || !(*seconds >= 0 && *seconds < longest_run)) return std::nullopt;
  text.remove_prefix(end + 2);
  return seconds;
}

/// 1 to 12 for "Jan" to "Dec"; 0 for any other word.
int month_of(std::string_view word) {
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto found = std::find(months.begin(), months.end(), word);
  return found == months.end() ? 0 : static_cast<int>(found - months.begin()) + 1;
}

/// The lines of a log, oldest first.
struct Log {
  Presence presence = Presence::absent;
  std::string source;
  std::string needs;
  std::vector<LogLine> lines;
};

/// When the kernel refuses a module, it does not name it; usually it is NVIDIA's.
bool is_refused_module(std::string_view text) {
  return text.find("Loading of ") != std::string_view::npos &&
         text.find(" is rejected") != std::string_view::npos;
}

/// True for the first line after a boot; earlier lines belong to a previous boot.
bool is_start(std::string_view text) {
  return text.starts_with("Linux version ");
}

bool is_nvidias(std::string_view text) {
  return is_refused_module(text) || text.find("NVRM:") != std::string_view::npos ||
         text.find("SXid (") != std::string_view::npos ||
         text.find("devmem_alloc_pagemap") != std::string_view::npos;
}

/// Reads what the kernel's own buffer holds now. Never waits.
Log read_kmsg() {
  Log log;
  log.source = "/dev/kmsg";
  const int file = ::open(log.source.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    log.presence = errno == ENOENT ? Presence::absent : Presence::unreadable;
    log.needs = "root, or kernel.dmesg_restrict=0";
    return log;
  }
  std::timespec now{};
  std::timespec since_boot{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  ::clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const double boot = static_cast<double>(now.tv_sec - since_boot.tv_sec);
  std::array<char, 8192> record{};  // longer than any record
  std::size_t bytes = 0;
  log.presence = Presence::present;
  while (bytes < 4 * log_limit) {
    const ssize_t got = ::read(file, record.data(), record.size());
    if (got < 0 && (errno == EINTR || errno == EPIPE)) continue;  // EPIPE: older records were overwritten
    if (got < 0 && errno != EAGAIN && bytes == 0) {
      log.presence = Presence::unreadable;
      log.needs = "root";
    }
    if (got <= 0) break;
    bytes += static_cast<std::size_t>(got);
    auto line = parse_kmsg_record({record.data(), static_cast<std::size_t>(got)}, boot);
    if (line && is_nvidias(line->text)) log.lines.push_back(std::move(*line));
  }
  ::close(file);
  return log;
}

/// When this machine was started, in seconds since 1970; 0 if that is unknown, as below a mounted image.
double boot_time(const Tree& tree) {
  double boot = 0;
  for_each_line(tree.read("/proc/stat").text, [&](std::string_view line) {
    if (const auto seconds = after(line, "btime "))
      boot = result::number_in<double>(stripped(*seconds)).value_or(0);
  });
  return boot;
}

/// The offset in "2026-11-20T10:11:12.345+01:00 host kernel: ..." in seconds; nullopt if the line has none, and
/// is in this machine's zone.
std::optional<long> zone_of(std::string_view line) {
  constexpr std::size_t date_and_time = 19;
  line = line.substr(0, line.find(' '));
  if (line.size() <= date_and_time || line[10] != 'T') return std::nullopt;
  const std::string_view rest = line.substr(date_and_time);
  if (rest.back() == 'Z') return 0;
  const auto sign = rest.find_first_of("+-");
  if (sign == std::string_view::npos || rest.size() != sign + 6) return std::nullopt;
  const auto hours = result::number_in<int>(rest.substr(sign + 1, 2));
  const auto minutes = result::number_in<int>(rest.substr(sign + 4, 2));
  if (!hours || !minutes) return std::nullopt;
  return (rest[sign] == '-' ? -1L : 1L) * (*hours * 3600L + *minutes * 60L);
}

/// The clock may have been set since: a machine's own may run in local time, and a virtual machine may have slept. So
/// what is older than the boot by less than a day may be of this boot.
constexpr double a_day = 86400;

/// True if the line was surely written before that time. Lines without a date belong to this boot.
bool is_before(double boot, std::string_view raw, const LogLine& line) {
  std::tm parts{};
  if (boot <= 0 || ::strptime(line.time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return false;
  const std::optional<long> zone = zone_of(raw);
  parts.tm_isdst = -1;
  const std::time_t written = zone ? ::timegm(&parts) - *zone : ::mktime(&parts);
  return static_cast<double>(written) + a_day < boot;
}

/// The lines of this boot. A file that was last changed before it is not its log.
Log read_file(const Tree& tree, const char* path) {
  Log log;
  log.source = path;
  const Reading reading = tree.read_end(path, log_limit);
  log.presence = reading.presence;
  log.needs = "group adm or root";
  if (!reading.present()) return log;
  struct stat status {};
  std::tm changed{};
  if (::stat(tree.at(path).c_str(), &status) == 0) ::localtime_r(&status.st_mtime, &changed);
  const double boot = boot_time(tree);
  if (static_cast<double>(status.st_mtime) + a_day < boot) {
    log.presence = Presence::absent;
    return log;
  }
  for_each_line(reading.text, [&](std::string_view text) {
    const bool starts = text.find("Linux version ") != std::string_view::npos;
    if (!starts && !is_nvidias(text)) return;
    auto line = parse_log_line(text, changed.tm_year + 1900, changed.tm_mon + 1);
    if (line && is_start(line->text)) log.lines.clear();
    if (line && is_nvidias(line->text) && !is_before(boot, text, *line))
      log.lines.push_back(std::move(*line));
  });
  return log;
}

/// Takes "0000:01:00.0 79" from "<mark>PCI:0000:01:00): 79, text" and leaves the text. With MIG, instance
/// numbers follow the address: "PCI:0000:01:00 GPU-I:05 GPU-CI:01".
std::optional<std::string> take_head(std::string_view& text, std::string_view mark) {
  const auto start = text.find(mark);
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start + mark.size());
  const auto close = text.find("): ");
  constexpr std::size_t longest_device = 48;  // "PCI:", the address and instances
  if (close == std::string_view::npos || close > longest_device) return std::nullopt;
  const std::string_view device = text.substr(0, std::min(text.find(' '), close));
  std::string address = pci_address(after(device, "PCI:").value_or(device));
  if (address.find('.') == std::string::npos) address += ".0";
  text.remove_prefix(close + 3);
  const auto comma = std::min(text.find(','), text.size());
  const auto code = result::number_in<int>(text.substr(0, comma));
  if (!code || *code < 1) return std::nullopt;
  text = stripped(text.substr(std::min(comma + 1, text.size())));
  return fmt::format("{} {}", address, *code);
}

/// Decides which lines of a kind to keep: the newest ones, and the newest for each further device and number.
/// Many harmless lines then cannot hide a serious one.
class Kept {
 public:
  explicit Kept(std::string key) : key_(std::move(key)) {}

  /// `parsed` begins with the device and the number. `grave` lines form a kind of their own.
  void add(const LogLine& line, const std::string& parsed, bool grave, const std::string& source,
           Inventory& inventory) {
    ++seen_;
    const auto words = words_of(parsed);
    const bool first = kinds_.emplace(words[0], words[1], grave).second;
    if (kept_ >= (first ? 2 * told_most : told_most)) return;
    inventory.present(fmt::format("{}.{}", key_, kept_++), fmt::format("{} {}", line.time, parsed), source);
  }
  std::size_t seen() const { return seen_; }  ///< number of lines, kept or not

 private:
  std::string key_;
  std::set<std::tuple<std::string, std::string, bool>> kinds_;
  std::size_t kept_ = 0;
  std::size_t seen_ = 0;
};

/// The first readable log; else the first that may not be read; else none.
Log read_log(const Tree& tree) {
  Log refused;
  if (tree.live()) {
    Log log = read_kmsg();
    if (log.presence == Presence::present) return log;
    refused = log;
  }
  for (const char* const path :
       {"/var/log/kern.log", "/var/log/messages", "/var/log/syslog", "/var/log/dmesg"}) {
    Log log = read_file(tree, path);
    if (log.presence == Presence::present) return log;
    if (log.presence == Presence::unreadable && refused.presence != Presence::unreadable) refused = log;
  }
  if (refused.presence == Presence::unreadable) return refused;
  // systemd's journal is binary; only its own command reads it.
  for (const char* const folder : {"/var/log/journal", "/run/log/journal"}) {
    if (tree.list(folder).empty()) continue;
    refused.presence = Presence::unreadable;
    refused.source = folder;
    refused.needs = fmt::format("the command `journalctl -D {} -k -g NVRM`", tree.at(folder).string());
    return refused;
  }
  if (refused.source.empty()) refused.source = "/var/log/kern.log";
  return refused;
}

}  // namespace

std::optional<LogLine> parse_kmsg_record(std::string_view record, double boot) {
  const auto semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  const std::string_view head = record.substr(0, semicolon);
  const auto first = head.find(',');
  const auto second = first == std::string_view::npos ? first : head.find(',', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto end = head.find(',', second + 1);
  const auto priority = result::number_in<unsigned>(head.substr(0, first));
  constexpr unsigned kernels_own = 8;  // the lowest three bits are the level, the others the facility
  if (!priority || *priority >= kernels_own) return std::nullopt;
  const auto microseconds = result::number_in<long long>(head.substr(second + 1, end - second - 1));
  if (!microseconds || *microseconds < 0) return std::nullopt;
  std::string_view text = record.substr(semicolon + 1);
  text = text.substr(0, text.find('\n'));  // the record's fields follow
  return LogLine{utc(boot + static_cast<double>(*microseconds) / 1e6), std::string(text)};
}

std::optional<LogLine> parse_log_line(std::string_view line, int year, int month) {
  std::string_view text = line;
  if (const auto seconds = take_seconds(text))
    return LogLine{fmt::format("boot+{:.0f}s", *seconds), std::string(text)};
  // "kernel:" must be the program's name, because any user can make other programs log these words.
  const auto mark = line.find(" kernel: ");
  if (mark == std::string_view::npos) return std::nullopt;
  const auto words = words_of(line.substr(0, mark));
  text = line.substr(mark + 9);
  take_seconds(text);
  std::string time;
  if (words.size() == 2 && words[0].size() >= 19 && words[0][4] == '-' && words[0][10] == 'T') {
    time = result::seconds_of(words[0]);
  } else if (words.size() == 4 && month_of(words[0]) != 0 && words[2].size() == 8) {
    const int written = month_of(words[0]);
    const int day = result::number_in<int>(words[1]).value_or(0);
    // A log last changed in January may begin in December.
    time = fmt::format("{:04}-{:02}-{:02}T{}", written > month ? year - 1 : year, written, day, words[2]);
  } else {
    return std::nullopt;
  }
  return LogLine{time, std::string(text)};
}

std::optional<std::string> parse_xid(std::string_view text) {
  const auto head = take_head(text, "NVRM: Xid (");
  if (!head) return std::nullopt;
  for (const std::string_view field : {"pid=", "name="}) {
    if (!text.starts_with(field)) continue;
    const auto end = text.find(", ");
    text = end == std::string_view::npos ? "" : text.substr(end + 2);
  }
  if (text.ends_with('.')) text.remove_suffix(1);
  return fmt::format("{} {}", *head, text.substr(0, longest_text));
}

std::optional<std::string> parse_sxid(std::string_view text) {
  const auto head = take_head(text, "SXid (");
  if (!head) return std::nullopt;
  constexpr std::array<std::string_view, 3> gravities{"Fatal,", "Non-fatal,", "Correctable,"};
  if (std::none_of(gravities.begin(), gravities.end(),
                   [&](std::string_view gravity) { return text.starts_with(gravity); }))
    return std::nullopt;
  return fmt::format("{} {}", *head, text.substr(0, longest_text));
}

void collect_kernel_log(const Context& context, Inventory& inventory) {
  const char* const key = "kernel_log.readable";
  const Log log = read_log(context.tree);
  if (log.presence == Presence::unreadable) return inventory.unreadable(key, log.source, log.needs);
  if (log.presence == Presence::absent) return inventory.absent(key, log.source, "no kernel log in a file");
  inventory.present(key, "yes", log.source);
  Kept xids("kernel_log.xid");
  Kept sxids("kernel_log.sxid");
  std::size_t others = 0;
  bool hmm_failure = false;
  for (auto line = log.lines.rbegin(); line != log.lines.rend(); ++line) {
    hmm_failure |= line->text.find("devmem_alloc_pagemap") != std::string::npos;
    if (const auto xid = parse_xid(line->text)) {
      xids.add(*line, *xid, false, log.source, inventory);
    } else if (const auto sxid = parse_sxid(line->text)) {
      sxids.add(*line, *sxid, mentions(*sxid, " Fatal,"), log.source, inventory);
    } else if (others < told_most && line->text.find("SXid (") == std::string::npos) {
      // Data lines follow an SXid; they would push out the module's own words.
      inventory.present(fmt::format("kernel_log.nvrm.{}", others++),
                        fmt::format("{} {}", line->time, line->text.substr(0, longest_text)), log.source);
    }
  }
  inventory.present("kernel_log.xid_count", std::to_string(xids.seen()), log.source);
  inventory.present("kernel_log.sxid_count", std::to_string(sxids.seen()), log.source);
  if (hmm_failure) {
    inventory.present("kernel_log.hmm_failure", "yes", log.source, "devmem_alloc_pagemap");
  } else {
    inventory.absent("kernel_log.hmm_failure", log.source, "devmem_alloc_pagemap");
  }
}

}  // namespace gpugauge::stack
