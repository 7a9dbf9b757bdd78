// Calls into a library that may wait for other ranks without end, watched from outside: the thread that makes
// them hears of nothing meanwhile.
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
  /// Asked several times a second while a call has lasted a second or more: why it shall end, should the
  /// other ranks have said so; may be empty.
  using Look = std::function<std::optional<std::string>()>;
  /// Given the sentence of a call that is late, in the watching thread; the other stands still. Ends the
  /// process: should it return, both go on.
  using End = std::function<void(const std::string& sentence)>;

  /// `place` is where it happens, for sentences.
  Watch(std::string place, Look look, End end);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  /// One call, from construction to destruction: costs two atomic operations. Not nested.
  class Call {
   public:
    /// `doing` outlives the call ("enqueueing a collective"); it may take `seconds`.
    Call(Watch& watch, const char* doing, double seconds);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    /// Waits as long as the watching thread looks.
    ~Call();

   private:
    Watch& watch_;
    std::uint64_t number_;
  };

 private:
  void run();
  /// Nothing where the call of this number has ended meanwhile.
  void look_at(std::uint64_t number, double seconds_so_far);
  std::string late(double seconds_so_far);

  std::string place_;
  Look look_;
  End end_;
  std::atomic<std::uint64_t> state_{0};  ///< odd within a call; with `taken` while it is looked at
  std::atomic<const char*> doing_{""};
  std::atomic<double> limit_seconds_{0};
  std::atomic<bool> over_{false};
  double interrupted_since_ = 0;  ///< of the watching thread alone; 0 = nobody asked for the end yet
  std::thread thread_;
};

}  // namespace gpugauge::bench::ranks
