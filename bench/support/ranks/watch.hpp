// Watches calls into a library that may wait for other ranks for ever. A second thread watches, because the
// calling thread receives nothing meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace gpugauge::bench::ranks {

/// Watches the calls of one thread.
class Watch {
 public:
  /// Asked several times per second once a call has lasted a second. Returns why the call must end, if the
  /// other ranks said so; may be empty.
  using Look = std::function<std::optional<std::string>()>;
  /// Called in the watching thread with the sentence of a late call, while the other thread is stuck. It
  /// should end the process. If it returns, both threads continue.
  using End = std::function<void(const std::string& sentence)>;

  /// `place` says where it happens, for sentences.
  Watch(std::string place, Look look, End end);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  /// Watches one call, from construction to destruction. Costs two atomic operations. Not nested.
  class Call {
   public:
    /// `doing` names the call ("enqueueing a collective") and must outlive it. The call may take `seconds`.
    Call(Watch& watch, const char* doing, double seconds);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    /// Waits while the watching thread is in a look.
    ~Call();

   private:
    Watch& watch_;
    std::uint64_t number_;
  };

 private:
  void run();
  /// Does nothing where the call of this number has already ended.
  void look_at(std::uint64_t number, double seconds_so_far);
  std::string late(double seconds_so_far);

  std::string place_;
  Look look_;
  End end_;
  std::atomic<std::uint64_t> state_{0};  ///< odd within a call; has `taken` set during a look
  std::atomic<const char*> doing_{""};
  std::atomic<double> limit_seconds_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace gpugauge::bench::ranks
