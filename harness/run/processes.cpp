#include "run/processes.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
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

struct Stat {
  char state = '?';
  pid_t parent = 0;
  double cpu_ticks = 0;
};

std::optional<Stat> read_stat(const fs::path& process) {
  const std::string line = read_kernel_file(process / "stat");
  const auto name_end = line.rfind(')');  // the name may hold blanks and parentheses of its own
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(name_end + 1));
  Stat stat;
  std::string skipped;
  rest >> stat.state >> stat.parent;              // fields 3 and 4
  for (int i = 5; i <= 13; ++i) rest >> skipped;  // up to majfault of the children
  double user = 0;
  double system = 0;
  if (!(rest >> user >> system)) return std::nullopt;
  stat.cpu_ticks = user + system;
  return stat;
}

}  // namespace

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
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const auto name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    const auto stat = read_stat(entry.path());
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
    if (left > 0 || found == 0) return left;
  }
  return 1;
}

}  // namespace gpugauge::run
