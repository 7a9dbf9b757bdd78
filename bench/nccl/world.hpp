// All ranks of a measurement: the GPUs of this process, and other processes' where a launcher started
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

#include "nccl/log.hpp"
#include "support/cuda/resources.hpp"
#include "support/ranks/channel.hpp"
#include "support/ranks/watch.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::nccl {

/// Throws std::runtime_error with what was tried, NCCL's own text and its last message.
void check(ncclResult_t code, const char* doing);

/// One GPU of this process, with its place among all ranks.
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
/// For what is not known to be slow, and for what connects ranks.
inline constexpr double patience_seconds = 60;
inline constexpr double making_seconds = 120;

class World {
 public:
  /// Made at the first call: the communicators too. Throws std::runtime_error with one sentence, also at
  /// every later call once ranks have parted.
  static World& get();
  /// Called with the sentence before communicators are aborted, or this process ends inside NCCL: what was
  /// measured until then is kept. As long as the guard lives.
  class WhenLost {
   public:
    explicit WhenLost(std::function<void(const std::string&)> keep);
    WhenLost(const WhenLost&) = delete;
    WhenLost& operator=(const WhenLost&) = delete;
    ~WhenLost();
  };

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  /// Of all processes.
  int rank_count() const { return rank_count_; }
  bool several_processes() const { return channel_ != nullptr; }
  const std::string& host() const { return host_; }
  /// What NCCL has written so far, choices_in() left out. Paths stand in it from the first use of a
  /// collective on: new versions connect ranks when they need to.
  std::string log_so_far() const;

  /// Every process's text; just this one's where there is one. All processes must call alike.
  ranks::Texts exchange(const std::string& step, const std::string& text);
  /// What rank 0 makes of every process's text, for long ones.
  std::string exchange(const std::string& step, const std::string& text,
                       const ranks::Channel::MadeOf& made_of);
  /// Ends the benchmark on every process, by Skipped, when it must end on one: skipped where one of them says
  /// that it does not apply, else unavailable.
  void agree(const std::string& step, const std::optional<Skipped>& problem);
  /// Waits for the work of all members. Throws when NCCL reports an error, a rank has ended, or nothing comes
  /// to an end for `seconds`; the communicators are then aborted.
  void wait(double seconds = patience_seconds);
  /// One call into NCCL that enqueues, watched: it may wait for another rank in this thread (to connect, for
  /// room in a proxy's queue). Should it not come back within `seconds`, or the ranks part meanwhile, the
  /// process ends, and everybody hears why.
  ranks::Watch::Call enqueueing(double seconds = patience_seconds) {
    return {*watch_, "enqueueing a collective", seconds};
  }
  /// Aborts the communicators: no further benchmark can be measured, and the other processes hear why. Only
  /// the first call does anything.
  void give_up(const std::string& sentence);
  /// Runs `work` and gives up before what it throws goes further: whoever unwinds frees GPU memory or waits
  /// for the GPU, and both wait for a collective that never ends.
  template <typename Work>
  void or_give_up(const Work& work) {
    try {
      work();
    } catch (const std::exception& error) {
      give_up(error.what());
      throw;
    }
  }

  /// Runs `work`, on all ranks, with NCCL's log of its choices, and returns what it chose; empty where this
  /// NCCL cannot be asked.
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
  /// Why the ranks are apart, should they be.
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

/// Makes `device` current for its own lifetime.
class OnDevice {
 public:
  explicit OnDevice(int device) { cuda::check(cudaSetDevice(device), "choosing a GPU"); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(0); }
};

}  // namespace gpugauge::bench::nccl
