// Runs one child process, from its start until it and all its descendants are gone.
//
// The second runner of children, beside stack/child.hpp, and not that one because the two want opposite things:
//   stack::run_child   a question to a driver or an interpreter that may hang. It blocks, must return when the
//                      child ends although a helper of the driver keeps the output open, keeps the beginning of
//                      the output, which is the answer, kills at once, and needs no event loop.
//   Child              a measurement. It runs beside telemetry and signals on one loop, has an environment of
//                      its own, is asked to end before it is killed, takes all its descendants with it, since
//                      they would disturb the next one, and keeps the end of the output, where a fault stands.
// What both need is shared: stack::LivingChild ends either kind with the command, and StopsHeldBack covers the
// time between the start and that.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "run/lineage.hpp"
#include "run/loop.hpp"
#include "run/output_tail.hpp"
#include "run/processes.hpp"
#include "stack/living_children.hpp"

namespace gpugauge::run {

/// What to start. No shell is involved: arguments arrive as they are.
struct Command {
  std::filesystem::path executable;                ///< a path; PATH is not searched
  std::vector<std::string> arguments;              ///< without the executable
  std::map<std::string, std::string> environment;  ///< set on top of what is inherited
  std::vector<std::string> unset = {};             ///< variables that are not inherited
};

/// Limits of one child and what happens to its output.
struct ChildOptions {
  double limit_seconds = 120;  ///< then SIGTERM to the whole process group; infinity: no limit
  double grace_seconds = 2;    ///< then SIGKILL
  double give_up_seconds = 5;  ///< then it is left behind: stuck in the kernel, for which there is no remedy
  /// Also end descendants that left the process group. Only the child's own are ended, never somebody else's.
  bool end_descendants = true;
  /// Receives standard output; the tail then holds standard error only. Without it the tail holds both.
  std::function<void(std::string_view)> on_output;
};

/// How a child ended.
struct ChildEnd {
  bool started = false;          ///< false: the child could not start; `fault` says why; ignore the rest
  std::optional<int> exit_code;  ///< absent when a signal ended it, or nothing did
  std::optional<int> signal;     ///< the signal that ended it; absent if none did
  bool unknown = false;          ///< it ended, but another caller in this process collected its status
  bool timed_out = false;        ///< it was still there at the time limit
  bool stopped = false;          ///< by stop() or kill_now()
  int left_behind = 0;           ///< descendants that were still alive after it and were ended
  int unkillable = 0;            ///< processes that did not end even so, the child itself among them
  /// From the child's start until it ended or was given up on. Excludes the time its descendants took.
  double wall_seconds = 0;
  std::string output;  ///< the tail
  /// "" after exit code 0, else the end of a sentence that starts with the child's name:
  /// "was ended by signal 11 (SIGSEGV)", "cannot be started: ...".
  std::string fault;
};

/// The constructor starts the child in a session of its own, with /dev/null as standard input. A child that
/// cannot be started counts as ended from the start. The destructor kills a running child's group without
/// waiting.
class Child {
 public:
  /// `loop` must outlive it. Does not throw for a command that cannot be started: ended() then holds at once,
  /// and end().fault says why.
  Child(Loop& loop, const Command& command, ChildOptions options);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// True when the child and its descendants are gone (or given up) and its output is read.
  bool ended() const { return phase_ == Phase::ended; }
  /// Valid once ended() holds.
  const ChildEnd& end() const { return end_; }
  /// 0 when it could not be started.
  pid_t pid() const { return pid_; }

  /// Sends SIGTERM, and SIGKILL after the grace time. A second call sends SIGTERM again but does not extend
  /// the grace time. Harmless after the child has ended.
  void stop();
  /// SIGKILL at once.
  void kill_now();

 private:
  enum class Phase { running, sweeping, ended };
  enum class Told { nothing, to_end, killed };
  struct Pipe;

  void spawn(const Command& command);
  void start_reading(Pipe& pipe, int descriptor);
  void terminate();
  void kill_group();
  void signal_group(int signal) const;
  bool takes_its_end();
  void on_exit(std::int64_t exit_status, int term_signal);
  void end_of_child();
  void sweep();
  void give_up();
  void finish();
  std::string fault() const;

  Loop& loop_;
  ChildOptions options_;
  Subreaper subreaper_;
  Phase phase_ = Phase::running;
  Told told_ = Told::nothing;
  pid_t pid_ = 0;
  std::optional<stack::LivingChild> living_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point swept_since_;
  std::set<pid_t> spared_;  ///< children of this process that were there before
  Lineage lineage_;
  OutputTail tail_;
  ChildEnd end_;
  Handle<uv_process_t> process_;
  std::unique_ptr<Pipe> output_, errors_;
  Timer timer_;
};

/// Runs one child on a loop of its own until it has ended.
ChildEnd run_child(const Command& command, ChildOptions options);

}  // namespace gpugauge::run
