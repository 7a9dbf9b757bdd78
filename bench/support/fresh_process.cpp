// Starts a fresh process without a shell and reads its report through a pipe.
#include "support/fresh_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/number.hpp"
#include "support/interrupt.hpp"
#include "support/measure.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench {

namespace {

constexpr std::size_t longest_report = 1 << 16;
constexpr double poll_seconds = 0.05;

std::map<std::string, std::function<Report()>>& children() {
  static std::map<std::string, std::function<Report()>> all;
  return all;
}

/// Returns the seconds left. Throws when there are none, or when a signal asks this process to end.
double look(double deadline, double limit_seconds) {
  if (interrupted()) throw Interrupted{};
  const double left = deadline - steady_seconds();
  if (left > 0) return left;
  throw std::runtime_error(
      fmt::format("a fresh process did not end within {:.3g} s and was killed", limit_seconds));
}

/// A file descriptor that its destructor closes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return number_; }
  void set(int number) { number_ = number; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// A process that the destructor kills and waits for.
class Running {
 public:
  explicit Running(pid_t id) : id_(id) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (ended_) return;
    kill(id_, SIGKILL);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  /// Waits for its status. A pipe closes before the driver has torn down a context.
  int wait(double deadline, double limit_seconds) {
    for (;;) {
      int status = 0;
      if (waitpid(id_, &status, WNOHANG) == id_) {
        ended_ = true;
        return status;
      }
      look(deadline, limit_seconds);
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }

 private:
  pid_t id_;
  bool ended_ = false;
};

std::vector<std::string> environment_of(const FreshProcess& process) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (!process.environment.contains(text.substr(0, text.find('=')))) out.push_back(text);
  }
  for (const auto& [name, value] : process.environment)
    if (value) out.push_back(fmt::format("{}={}", name, *value));
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

pid_t spawn(const FreshProcess& process, int report) {
  std::vector<std::string> words{process.executable};
  words.insert(words.end(), process.arguments.begin(), process.arguments.end());
  std::vector<std::string> variables = environment_of(process);
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, report, report_descriptor);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t id = 0;
  const int fault = posix_spawn(&id, process.executable.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0)
    throw std::runtime_error(
        fmt::format("{} cannot be started: {}", process.executable, std::strerror(fault)));
  return id;
}

/// Reads everything until the other end is closed.
std::string read_all(int from, double deadline, double limit_seconds) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const double left = look(deadline, limit_seconds);
    pollfd waiting{from, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::ceil(std::min(left, poll_seconds) * 1e3)));
    if (ready < 0 && errno != EINTR)
      throw std::runtime_error(fmt::format("waiting for a fresh process failed: {}", std::strerror(errno)));
    if (ready <= 0) continue;
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > longest_report) throw std::runtime_error("a fresh process reports without end");
  }
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

constexpr const char* failure_word = "failed ";

}  // namespace

std::string report_text(const Report& report) {
  std::string text;
  for (const auto& [name, value] : report) {
    if (!is_name(name) || !std::isfinite(value))
      throw std::invalid_argument(fmt::format("'{}' = {} can be no part of a report", name, value));
    text += fmt::format("{} {:.9e}\n", name, value);
  }
  return text + "end\n";
}

std::string failure_text(const std::string& reason) {
  std::string line = reason;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return failure_word + line + "\n";
}

Report parse_report(const std::string& text) {
  Report report;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (lines.eof()) break;  // no final line break: cut off
    if (line == "end") return report;
    if (line.rfind(failure_word, 0) == 0) throw std::runtime_error(line.substr(std::strlen(failure_word)));
    const std::size_t blank = line.find(' ');
    const auto value =
        blank == std::string::npos ? std::nullopt : result::number_in<double>(line.substr(blank + 1));
    if (!is_name(line.substr(0, blank)) || !value)
      throw std::runtime_error(
          fmt::format("a fresh process reports '{}', which is no name and number", line.substr(0, 100)));
    report[line.substr(0, blank)] = *value;
  }
  throw std::runtime_error("the report of a fresh process is cut off");
}

FreshResult run_fresh(const FreshProcess& process) {
  Descriptor from;
  Descriptor to;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("no pipe for a fresh process: {}", std::strerror(errno)));
  from.set(ends[0]);
  // dup2 onto itself would leave the descriptor closed at exec.
  to.set(ends[1] == report_descriptor ? fcntl(ends[1], F_DUPFD_CLOEXEC, report_descriptor + 1) : ends[1]);
  if (ends[1] == report_descriptor) ::close(ends[1]);

  FreshResult result;
  const double start = steady_seconds();
  Running running(spawn(process, to.get()));
  to.close();
  const double deadline = start + process.limit_seconds;
  const std::string text = read_all(from.get(), deadline, process.limit_seconds);
  const int status = running.wait(deadline, process.limit_seconds);
  result.wall_seconds = steady_seconds() - start;
  try {
    result.report = parse_report(text);
  } catch (const std::runtime_error& fault) {
    if (!text.empty()) throw;
    throw std::runtime_error(fmt::format("a fresh process {} without a report", end_of(status)));
  }
  if (status != 0)
    throw std::runtime_error(fmt::format("a fresh process {} after its report", end_of(status)));
  return result;
}

FreshProcess own_child(const std::string& name) {
  return {.executable = "/proc/self/exe",
          .arguments = {"--gpugauge_child=" + name, fmt::format("--gpugauge_parent={}", getpid())},
          .environment = {}};
}

Child::Child(std::string name, std::function<Report()> body) {
  if (!children().emplace(name, std::move(body)).second)
    throw std::logic_error(fmt::format("the child {} is registered twice", name));
}

int play_child(const std::string& name) {
  const auto found = children().find(name);
  if (found == children().end())
    throw result::UsageError(fmt::format("--gpugauge_child={}: this family has no such part", name));
  std::string text;
  int code = 0;
  try {
    text = report_text(found->second());
  } catch (const std::exception& fault) {
    text = failure_text(fault.what());
    code = 1;
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(report_descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 1;
    done += static_cast<std::size_t>(count);
  }
  return code;
}

}  // namespace gpugauge::bench
