// All ranks of a measurement: the GPUs of this process, and those of other processes where a launcher started
// several.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "nccl/limits.hpp"
#include "nccl/log.hpp"
#include "support/cuda/on_device.hpp"
#include "support/cuda/resources.hpp"
#include "support/interrupt.hpp"
#include "support/measure.hpp"
#include "support/ranks/channel.hpp"
#include "support/ranks/watch.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::nccl {

using cuda::OnDevice;

/// Throws std::runtime_error with the action, NCCL's own text and its last message.
void check(ncclResult_t code, const char* doing);

/// One GPU of this process and its rank.
struct Member {
  int device = 0;
  int rank = 0;
  std::string uuid;
  std::unique_ptr<cuda::Stream> stream;
  std::vector<cuda::Event> events;  ///< iterations_per_chunk + 1
  ncclComm_t comm = nullptr;
};

/// Iterations that are enqueued before the host waits.
inline constexpr int iterations_per_chunk = 50;

class World {
 public:
  /// Makes the world and its communicators at the first call. Throws Skipped on every process, unavailable
  /// and occupied, where a GPU of one of them is only in use; nothing is then broken, and later calls throw
  /// the same. Throws std::runtime_error with one sentence, also at every later call once ranks have parted.
  static World& get();
  /// While this guard lives, `keep` is called with the sentence before communicators are aborted, or before
  /// this process ends inside NCCL. It stores what was measured so far.
  class WhenLost {
   public:
    explicit WhenLost(std::function<void(const std::string&)> keep);
    WhenLost(const WhenLost&) = delete;
    WhenLost& operator=(const WhenLost&) = delete;
    ~WhenLost();
  };

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  /// Ranks of all processes.
  int rank_count() const { return rank_count_; }
  bool several_processes() const { return channel_ != nullptr; }
  const std::string& host() const { return host_; }
  /// What NCCL has written so far, without the logs of choices_in(). Paths appear only from the first use of
  /// a collective on, because new versions connect ranks on demand.
  std::string log_so_far() const;

  /// The texts of all processes; only this one's where it runs alone. All processes must call this in the
  /// same order.
  ranks::Texts exchange(const std::string& step, const std::string& text);
  /// What rank 0 makes of all texts; for long texts.
  std::string exchange(const std::string& step, const std::string& text,
                       const ranks::Channel::MadeOf& made_of);
  /// Throws Skipped on every process when one of them has a problem. skipped: one says that the benchmark
  /// does not apply. unavailable: otherwise, and occupied as the one with the problem is.
  void agree(const std::string& step, const std::optional<Skipped>& problem);
  /// Waits for the work of all members. Throws when NCCL reports an error, a rank has ended, or nothing
  /// finishes for `seconds`; the communicators are then aborted.
  void wait(double seconds);
  /// The same, for as long as a collective that is not known to be slow.
  void wait() { wait(limits().usual(several_processes())); }
  /// Watches one enqueueing call into NCCL. The call may wait for another rank in this thread (to connect, or
  /// for room in a proxy's queue). If it does not return within `seconds`, or the ranks part, the process
  /// ends and all others learn why.
  ranks::Watch::Call enqueueing(double seconds) { return {*watch_, "enqueueing a collective", seconds}; }
  /// Aborts the communicators. No further benchmark can be measured, and the other processes learn why. Only
  /// the first call has an effect.
  void give_up(const std::string& sentence);
  /// Runs `work`, and calls give_up() before an exception propagates, Interrupted too. Unwinding frees GPU
  /// memory or waits for the GPU, and both would wait for a collective that never ends. Skipped propagates
  /// alone: all processes throw it together, with no work in flight.
  template <typename Work>
  void or_give_up(const Work& work) {
    try {
      work();
    } catch (const Interrupted&) {
      give_up(interruption());
      throw;
    } catch (const std::exception& error) {
      give_up(error.what());
      throw;
    }
  }

  /// Runs `work`, on all ranks, with NCCL's log of its choices, and returns the choices. Empty where this
  /// NCCL does not log them.
  template <typename Work>
  std::vector<Choice> choices_in(const Work& work) {
    const bool logged = begin_log("TUNING");
    work();
    if (!logged) return {};
    std::vector<Choice> choices = parse_log(read_log()).choices;
    begin_log("INIT,ENV,NET");
    return choices;
  }

 private:
  World();
  void make_communicators();
  void make_one_communicator();
  /// Why the ranks have parted, or nullopt.
  std::optional<std::string> parted();
  [[noreturn]] void end(const std::string& sentence);
  void wait_for(const Member& member, double seconds, double deadline);
  bool begin_log(const char* subsystems);
  std::string read_log() const;

  std::vector<Member> members_;
  int rank_count_ = 1;
  std::string host_;
  ranks::Channel* channel_ = nullptr;
  std::unique_ptr<ranks::Watch> watch_;
  std::string log_text_;
  std::string log_path_;
  int log_count_ = 0;
  bool log_of_choices_ = false;
};

}  // namespace gpugauge::bench::nccl
