#include "run/processes.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

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
  std::ifstream file(process / "stat");
  // A process that ends meanwhile makes the read fail: getline then yields nothing, an iterator would throw.
  std::string line;
  std::getline(file, line, '\0');
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
    case SIGXCPU:
      return "SIGXCPU";
    case SIGXFSZ:
      return "SIGXFSZ";
    case SIGSYS:
      return "SIGSYS";
    default:
      return fmt::format("signal {}", signal);
  }
}

Subreaper::Subreaper() {
  prctl(PR_GET_CHILD_SUBREAPER, &previous_, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Subreaper::~Subreaper() {
  prctl(PR_SET_CHILD_SUBREAPER, previous_, 0, 0, 0);
}

int kill_adopted(const std::set<pid_t>& spared) {
  int left = 0;
  for (const pid_t child : children_of_this_process()) {
    if (spared.count(child) != 0) continue;
    kill(child, SIGKILL);
    if (waitpid(child, nullptr, WNOHANG) != child) ++left;
  }
  return left;
}

}  // namespace gpugauge::run
