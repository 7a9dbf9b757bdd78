#include "run/processes.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

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
  rest >> stat.state >> stat.parent;              // fields 3 and 4
  for (int i = 5; i <= 13; ++i) rest >> skipped;  // up to majfault of the children
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
  constexpr double end_of_time = 253402300800;  // the year 10000
  const auto stat = parse_process_stat(line);
  const auto boot = kernel_stat.find("btime ");
  if (!stat || !stat->start_ticks || boot == std::string::npos) return {};
  const double since_boot = std::floor(*stat->start_ticks / ticks_per_second);
  const double seconds = std::strtod(kernel_stat.c_str() + boot + 6, nullptr) + since_boot;
  if (!(seconds >= 0 && seconds < end_of_time)) return {};
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
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
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    const auto stat = read_stat(entry->path());
    if (!stat || stat->parent != getpid() || (stat->state == 'Z' && !with_ended)) continue;
    children.insert(static_cast<pid_t>(std::stol(name)));
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
  prctl(PR_GET_CHILD_SUBREAPER, &previous_, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Subreaper::~Subreaper() {
  prctl(PR_SET_CHILD_SUBREAPER, previous_, 0, 0, 0);
}

namespace {

/// The kernel's own answer, at one moment. A list of /proc is read process by process, by number: where
/// numbers have begun anew, a child may stand before its parent, and be read before the parent's end brings
/// it here.
bool has_any_child() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;  // else ECHILD
}

}  // namespace

int kill_adopted(const std::set<pid_t>& spared) {
  // Collecting one brings its children here, after the list of this pass was read: only a pass that finds
  // nobody has seen the end.
  constexpr int passes_most = 100;
  for (int pass = 0; pass < passes_most; ++pass) {
    int found = 0;
    int left = 0;
    for (const pid_t child : children_of_this_process()) {
      if (spared.count(child) != 0) continue;
      ++found;
      kill(child, SIGKILL);
      if (waitpid(child, nullptr, WNOHANG) != child) ++left;
    }
    if (left > 0) return left;
    if (found == 0) return spared.empty() && has_any_child() ? 1 : 0;
  }
  return 1;
}

}  // namespace gpugauge::run
