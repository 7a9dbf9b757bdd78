// Reads other processes' state from /proc, names signals, and keeps orphans as children of this process.
#include "run/processes.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "result/number.hpp"
#include "result/time.hpp"

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

std::mutex subreapers_change;
int subreapers = 0;
int before_subreapers = 0;

std::optional<ProcessStat> read_stat(const fs::path& process) {
  return parse_process_stat(read_kernel_file(process / "stat"));
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(const std::string& line) {
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(name_end + 1));
  ProcessStat stat;
  std::string skipped;
  rest >> stat.state >> stat.parent >> skipped >> stat.session;  // fields 3 to 6
  for (int i = 7; i <= 13; ++i) rest >> skipped;                 // up to majfault of the children
  double user = 0;
  double system = 0;
  if (!(rest >> user >> system)) return std::nullopt;
  stat.cpu_ticks = user + system;
  for (int i = 16; i <= 21; ++i) rest >> skipped;
  double start = 0;
  if (rest >> start) stat.start_ticks = start;
  return stat;
}

std::string process_start(const std::string& line, const std::string& kernel_stat, double ticks_per_second) {
  const auto stat = parse_process_stat(line);
  const auto boot = kernel_stat.find("btime ");
  if (!stat || !stat->start_ticks || boot == std::string::npos) return {};
  const double since_boot = std::floor(*stat->start_ticks / ticks_per_second);
  return result::utc_text(
      result::leading_number<double>(std::string_view(kernel_stat).substr(boot + 6)).value_or(0) +
      since_boot);
}

std::string read_kernel_file(const fs::path& file) {
  std::string text;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return text;
  char buffer[4096];
  ssize_t count = 0;
  do {
    count = read(descriptor, buffer, sizeof buffer);
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
  } while (count > 0 || (count < 0 && errno == EINTR));
  close(descriptor);
  return count < 0 ? std::string() : text;
}

std::set<pid_t> children_of_this_process(bool with_ended) {
  std::set<pid_t> children;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    const auto process = result::number_in<pid_t>(name);
    if (!process) continue;
    const auto stat = read_stat(entry->path());
    if (!stat || stat->parent != getpid() || (stat->state == 'Z' && !with_ended)) continue;
    children.insert(*process);
  }
  return children;
}

double cpu_seconds_of(pid_t process) {
  const auto stat = read_stat(fmt::format("/proc/{}", process));
  return stat ? stat->cpu_ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

std::string signal_name(int signal) {
  switch (signal) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGQUIT:
      return "SIGQUIT";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGKILL:
      return "SIGKILL";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGPIPE:
      return "SIGPIPE";
    case SIGALRM:
      return "SIGALRM";
    case SIGTERM:
      return "SIGTERM";
    case SIGSTKFLT:
      return "SIGSTKFLT";
    case SIGXCPU:
      return "SIGXCPU";
    case SIGXFSZ:
      return "SIGXFSZ";
    case SIGVTALRM:
      return "SIGVTALRM";
    case SIGPROF:
      return "SIGPROF";
    case SIGIO:
      return "SIGIO";
    case SIGPWR:
      return "SIGPWR";
    case SIGSYS:
      return "SIGSYS";
    default:
      return fmt::format("signal {}", signal);
  }
}

std::vector<int> stop_signals() {
  std::vector<int> out{SIGINT, SIGTERM};
  struct sigaction action {};
  const bool ignored = sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
  if (!ignored) out.push_back(SIGHUP);
  return out;
}

Subreaper::Subreaper() {
  const std::lock_guard lock(subreapers_change);
  if (subreapers++ > 0) return;
  prctl(PR_GET_CHILD_SUBREAPER, &before_subreapers, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

bool Subreaper::was_one_before() {
  const std::lock_guard lock(subreapers_change);
  int now = 0;
  if (subreapers == 0) prctl(PR_GET_CHILD_SUBREAPER, &now, 0, 0, 0);
  return (subreapers == 0 ? now : before_subreapers) != 0;
}

Subreaper::~Subreaper() {
  const std::lock_guard lock(subreapers_change);
  if (--subreapers == 0) prctl(PR_SET_CHILD_SUBREAPER, before_subreapers, 0, 0, 0);
}

}  // namespace gpugauge::run
