// Runs one child process with a time limit and collects its output.
#include "stack/child.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/stops_held_back.hpp"
#include "stack/living_children.hpp"

namespace gpugauge::stack {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t output_limit = std::size_t{1} << 20;
constexpr std::size_t error_limit = 4096;
constexpr int poll_milliseconds = 20;
constexpr auto patience_after_kill = std::chrono::seconds(2);

/// A pipe whose ends close themselves.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) error_ = errno;
    if (error_ == 0) ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int error() const { return error_; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write_end() { close(ends_[1]); }

  /// Appends all available data. Closes the pipe at the end of the stream.
  void drain(std::string& text) {
    std::array<char, 4096> buffer{};
    while (ends_[0] >= 0) {
      const ssize_t got = ::read(ends_[0], buffer.data(), buffer.size());
      if (got > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > 2 * output_limit) return;  // a child that floods us is cut back by the caller
      } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        close(ends_[0]);
      } else if (errno == EAGAIN) {
        return;
      }
    }
  }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_{-1, -1};
  int error_ = 0;
};

/// Starts the child; returns errno.
int start(const std::vector<std::string>& command, const Pipe& out, const Pipe& err, pid_t& child) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  // The command may block or ignore signals for its own purposes; the child must not inherit that.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error =
      ::posix_spawn(&child, command.front().c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Returns true once the child has ended, and stores its status in `result`.
bool reap(pid_t child, ChildResult& result) {
  int status = 0;
  const pid_t ended = ::waitpid(child, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  if (ended > 0 && WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (ended > 0 && WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.unknown = ended < 0;  // somebody else collected it: nothing is left to wait for
  return true;
}

void wait_for_output(const Pipe& out, const Pipe& err) {
  // A closed stream has descriptor -1, which poll skips.
  std::array<pollfd, 2> streams{pollfd{out.read_end(), POLLIN, 0}, pollfd{err.read_end(), POLLIN, 0}};
  ::poll(streams.data(), streams.size(), poll_milliseconds);
}

void keep(ChildResult& result) {
  if (result.out.size() > output_limit) result.out.resize(output_limit);
  if (result.err.size() > error_limit) result.err.erase(0, result.err.size() - error_limit);
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, double limit_seconds) {
  return run_child(command, [=](const ChildProgress&) { return limit_seconds; });
}

ChildResult run_child(const std::vector<std::string>& command,
                      const std::function<double(const ChildProgress&)>& limit, double* passed) {
  ChildResult result;
  if (command.empty()) {
    result.start_error = "no command was given";
    return result;
  }
  Pipe out;
  Pipe err;
  pid_t child = -1;
  int error = out.error() != 0 ? out.error() : err.error();
  std::optional<LivingChild> living;
  if (error == 0) {
    // A stop between the start and recording it would leave the child behind.
    const result::StopsHeldBack until_it_is_known;
    error = start(command, out, err, child);
    if (error == 0) living.emplace(child);
  }
  if (error != 0) {
    result.start_error = std::system_category().message(error);
    return result;
  }
  out.close_write_end();
  err.close_write_end();

  const auto began = Clock::now();
  double last_output = 0;
  const auto limit_now = [&] {
    const double seconds = limit({result.out, last_output});
    if (passed != nullptr) *passed = seconds;
    return began + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  auto deadline = limit_now();
  // Does not wait for the end of the streams: a helper of the driver may keep them open.
  while (!reap(child, result)) {
    wait_for_output(out, err);
    const std::size_t before = result.out.size();
    out.drain(result.out);
    err.drain(result.err);
    keep(result);
    const auto now = Clock::now();
    if (result.out.size() > before) last_output = std::chrono::duration<double>(now - began).count();
    if (now < deadline) continue;
    if (result.timed_out) {
      result.unkillable = true;  // left behind; the kernel ends it when its call returns
      break;
    }
    deadline = limit_now();
    if (now < deadline) continue;
    result.timed_out = true;
    ::kill(child, SIGKILL);
    deadline = now + patience_after_kill;
  }
  out.drain(result.out);
  err.drain(result.err);
  keep(result);
  return result;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const auto before = text.find_last_of('\n', end);
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  return text.substr(start, end - start + 1);
}

}  // namespace gpugauge::stack
