// Starts a child process, reads its output, and ends it with all its descendants.
#include "run/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/stops_held_back.hpp"
#include "run/executable.hpp"

namespace gpugauge::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double sweep_interval_seconds = .01;
/// Longest wait for output that a descendant out of our reach keeps open.
constexpr double drain_seconds = .5;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> make_environment(const std::map<std::string, std::string>& changes,
                                          const std::vector<std::string>& unset) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('='));
    const bool taken_out = std::find(unset.begin(), unset.end(), name) != unset.end();
    if (changes.count(name) == 0 && !taken_out) variables.push_back(text);
  }
  for (const auto& [name, value] : changes) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Both ends of a pipe; closes those that were not handed on.
struct PipeEnds {
  std::array<int, 2> ends{-1, -1};
  PipeEnds() = default;
  PipeEnds(const PipeEnds&) = delete;
  PipeEnds& operator=(const PipeEnds&) = delete;
  ~PipeEnds() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  int open() { return pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno; }
  int write_end() const { return ends[1]; }
  int take_read_end() { return std::exchange(ends[0], -1); }
};

}  // namespace

/// One output stream of the child, read as data arrives.
struct Child::Pipe {
  Handle<uv_pipe_t> handle{new uv_pipe_t};
  std::function<void(std::string_view)> receive;
  std::array<char, 65536> buffer{};
  bool open = false;
};

Child::Child(Loop& loop, const Command& command, ChildOptions options)
    : loop_(loop), options_(std::move(options)), start_(Clock::now()), timer_(loop) {
  spared_ = children_of_this_process();
  spawn(command);
  if (!end_.started) {
    phase_ = Phase::ended;
    return;
  }
  if (std::isfinite(options_.limit_seconds)) {
    timer_.once(options_.limit_seconds, [this] {
      // If this command was suspended, the timer can fire before the news of the child's end.
      if (takes_its_end()) return;
      end_.timed_out = true;
      terminate();
    });
  }
}

Child::~Child() {
  if (phase_ != Phase::ended && pid_ != 0) signal_group(SIGKILL);
}

void Child::spawn(const Command& command) {
  if (auto reason = why_not_executable(command.executable); !reason.empty()) {
    end_.fault = fmt::format("cannot be started: {} {}", command.executable.string(), reason);
    return;
  }
  PipeEnds out;
  PipeEnds err;
  int error = out.open();
  if (error == 0 && options_.on_output) error = err.open();
  if (error != 0) {
    end_.fault = fmt::format("cannot be started: no pipe for its output: {}", std::strerror(error));
    return;
  }
  std::array<uv_stdio_container_t, 3> streams{};
  streams[0].flags = UV_IGNORE;  // /dev/null
  streams[1].flags = UV_INHERIT_FD;
  streams[1].data.fd = out.write_end();
  streams[2].flags = UV_INHERIT_FD;
  streams[2].data.fd = options_.on_output ? err.write_end() : out.write_end();

  std::vector<std::string> words{command.executable.string()};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  auto changes = command.environment;
  changes[Lineage::variable] = lineage_.value();
  auto variables = make_environment(changes, command.unset);
  auto arguments = pointers(words);
  auto environment = pointers(variables);
  uv_process_options_t request{};
  request.file = words.front().c_str();
  request.args = arguments.data();
  request.env = environment.data();
  request.flags = UV_PROCESS_DETACHED;  // a session of its own: one signal reaches the whole group
  request.stdio_count = static_cast<int>(streams.size());
  request.stdio = streams.data();
  request.exit_cb = [](uv_process_t* handle, std::int64_t exit_status, int term_signal) {
    if (handle->data != nullptr) static_cast<Child*>(handle->data)->on_exit(exit_status, term_signal);
  };
  process_.reset(new uv_process_t{});
  process_->data = this;
  start_ = Clock::now();
  {
    // A stop signal between the start and its being recorded would leave the child behind. libuv clears the
    // child's signal mask.
    const result::StopsHeldBack until_it_is_known;
    error = uv_spawn(loop_.get(), process_.get(), &request);
    if (error == 0) living_.emplace(-process_->pid);
  }
  if (error != 0) {
    // The file exists and its format is right. Only its interpreter or its input can be missing.
    const char* const missing =
        ::access("/dev/null", F_OK) == 0 ? " (the loader or interpreter that it names)" : " (/dev/null)";
    end_.fault = fmt::format("cannot be started: {}: {}{}", command.executable.string(), uv_strerror(error),
                             error == UV_ENOENT ? missing : "");
    return;
  }
  end_.started = true;
  pid_ = process_->pid;
  lineage_.begin(pid_, spared_);
  output_ = std::make_unique<Pipe>();
  output_->receive =
      options_.on_output ? options_.on_output : [this](std::string_view text) { tail_.append(text); };
  start_reading(*output_, out.take_read_end());
  if (options_.on_output) {
    errors_ = std::make_unique<Pipe>();
    errors_->receive = [this](std::string_view text) { tail_.append(text); };
    start_reading(*errors_, err.take_read_end());
  }
}

void Child::start_reading(Pipe& pipe, int descriptor) {
  uv_pipe_init(loop_.get(), pipe.handle.get(), 0);
  pipe.handle->data = &pipe;
  if (uv_pipe_open(pipe.handle.get(), descriptor) != 0) {
    close(descriptor);
    return;
  }
  const auto allocate = [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    auto& memory = static_cast<Pipe*>(handle->data)->buffer;
    *buffer = uv_buf_init(memory.data(), static_cast<unsigned>(memory.size()));
  };
  const auto read = [](uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
    auto* self = static_cast<Pipe*>(stream->data);
    if (self == nullptr || count == 0) return;  // 0: nothing yet
    if (count > 0) {
      Loop::guard(stream->loop, [&] { self->receive({buffer->base, static_cast<std::size_t>(count)}); });
    } else {
      self->open = false;
      uv_read_stop(stream);
    }
  };
  pipe.open = uv_read_start(reinterpret_cast<uv_stream_t*>(pipe.handle.get()), allocate, read) == 0;
}

void Child::stop() {
  if (phase_ != Phase::running || takes_its_end()) return;
  end_.stopped = true;
  terminate();
}

void Child::kill_now() {
  if (phase_ != Phase::running || takes_its_end()) return;
  end_.stopped = true;
  kill_group();
}

void Child::terminate() {
  signal_group(SIGTERM);
  signal_group(SIGCONT);               // a stopped process takes no SIGTERM
  if (told_ != Told::nothing) return;  // the grace time counts from the first request
  told_ = Told::to_end;
  timer_.once(options_.grace_seconds, [this] {
    if (!takes_its_end()) kill_group();
  });
}

void Child::kill_group() {
  signal_group(SIGKILL);
  if (told_ == Told::killed) return;
  told_ = Told::killed;
  timer_.once(options_.give_up_seconds, [this] {
    if (!takes_its_end()) give_up();
  });
}

void Child::signal_group(int signal) const {
  kill(-pid_, signal);
}

/// Returns true if the child has already ended although libuv has not reported it, or never will.
bool Child::takes_its_end() {
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno != ECHILD)) return false;
  end_.unknown = ended < 0;
  if (ended > 0 && WIFEXITED(status)) end_.exit_code = WEXITSTATUS(status);
  if (ended > 0 && WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  process_.reset();  // its number may belong to another process from now on
  end_of_child();
  return true;
}

void Child::on_exit(std::int64_t exit_status, int term_signal) {
  if (phase_ != Phase::running) return;
  if (term_signal != 0) {
    end_.signal = term_signal;
  } else {
    end_.exit_code = static_cast<int>(exit_status);
  }
  end_of_child();
}

void Child::end_of_child() {
  end_.wall_seconds = seconds_since(start_);
  phase_ = Phase::sweeping;
  swept_since_ = Clock::now();
  if (options_.end_descendants) end_.left_behind = count_adopted(spared_, lineage_);
  signal_group(SIGKILL);
  timer_.every(sweep_interval_seconds, [this] { sweep(); });
  sweep();
}

void Child::sweep() {
  if (phase_ != Phase::sweeping) return;
  const int left = options_.end_descendants ? kill_adopted(spared_, lineage_) : 0;
  const double elapsed = seconds_since(swept_since_);
  const bool reading = (output_ && output_->open) || (errors_ && errors_->open);
  if (left > 0 && elapsed < options_.give_up_seconds) return;
  if (left == 0 && reading && elapsed < drain_seconds) return;
  end_.unkillable = left;
  finish();
}

void Child::give_up() {
  end_.wall_seconds = seconds_since(start_);
  end_.unkillable = 1;
  finish();
}

void Child::finish() {
  end_.output = tail_.text();
  end_.fault = fault();
  timer_.stop();
  living_.reset();
  output_.reset();
  errors_.reset();
  process_.reset();
  phase_ = Phase::ended;
}

std::string Child::fault() const {
  const auto limit = fmt::format("exceeded its time limit of {:g} s", options_.limit_seconds);
  if (end_.unknown) return "ended, and its exit status is unknown: somebody else collected it";
  if (!end_.exit_code && !end_.signal)
    return fmt::format(
        "{} and did not end even after SIGKILL: it is stuck in the kernel; look at dmesg, and restart the "
        "machine if it stays (process {})",
        end_.timed_out ? limit : "was told to stop", pid_);
  if (end_.timed_out) return limit + " and was ended";
  if (end_.stopped) return "was stopped";
  if (end_.signal) {
    const std::string name = signal_name(*end_.signal);
    return fmt::format("was ended by signal {}{}", *end_.signal,
                       name.starts_with("SIG") ? " (" + name + ")" : "");
  }
  if (*end_.exit_code != 0) return fmt::format("ended with exit code {}", *end_.exit_code);
  return {};
}

ChildEnd run_child(const Command& command, ChildOptions options) {
  Loop loop;
  Child child(loop, command, std::move(options));
  loop.run_until([&] { return child.ended(); });
  return child.end();
}

}  // namespace gpugauge::run
