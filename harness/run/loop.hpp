// The event loop that everything of a run shares: children, pipes, timers and signals.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include <uv.h>

namespace gpugauge::run {

/// Owns a uv_loop_t. Every handle made on it must be gone before it is.
class Loop {
 public:
  /// Throws std::runtime_error when the system has no descriptors left for it.
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  uv_loop_t* get() { return loop_.get(); }  ///< stays owned; its field `data` is taken

  /// Handles events until `done()` holds; it is asked after every batch of events. An exception of a callback
  /// arrives here, not in libuv, whose C frames it must not cross.
  void run_until(const std::function<bool()>& done);
  /// The same until `seconds` are over or `or_until()` holds.
  void run_for(
      double seconds, const std::function<bool()>& or_until = [] { return false; });

  /// Handles what has come, and waits for nothing. What a callback throws comes out of the next run_until.
  void run_pending();

  /// Calls back on behalf of libuv and keeps what is thrown for run_until.
  static void guard(uv_loop_t* loop, const std::function<void()>& call) noexcept;

 private:
  std::unique_ptr<uv_loop_t> loop_;
  std::exception_ptr thrown_;
};

/// libuv closes handles later than they are asked to: the memory lives until the loop has said so.
struct CloseHandle {
  /// Closes it now and frees it when libuv says so. Its `data` is nullptr from now on: a late callback can
  /// see that its owner is gone.
  template <class H>
  void operator()(H* handle) const {
    handle->data = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(handle),
             [](uv_handle_t* closed) { delete reinterpret_cast<H*>(closed); });
  }
};
/// Owns a libuv handle that was initialised on a loop, which must outlive it.
template <class H>
using Handle = std::unique_ptr<H, CloseHandle>;

/// A timer that calls back once or again and again until it is destroyed or stopped.
class Timer {
 public:
  explicit Timer(Loop& loop);  ///< does nothing yet. `loop` must outlive the timer.
  /// Calls `call` once, after `seconds` (rounded up to milliseconds; below 0 counts as 0, above 1e12 as
  /// 1e12). What was set before is forgotten. What `call` throws comes out of run_until.
  void once(double seconds, std::function<void()> call);
  /// Calls `call` every `seconds`, for the first time after that time. Below a millisecond it is 1 ms, and 0
  /// is once. What was set before is forgotten.
  void every(double seconds, std::function<void()> call);
  void stop();  ///< harmless when nothing is set

 private:
  void start(double seconds, double repeat, std::function<void()> call);

  Handle<uv_timer_t> handle_;
  std::function<void()> call_;
};

/// Calls back for a signal instead of the process's own disposition, which is put back at the end.
class SignalWatch {
 public:
  /// Begins now. `call` gets the signal's number, from within run_until, and must not throw.
  SignalWatch(Loop& loop, int signal, std::function<void(int)> call);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  struct Previous;
  int signal_;
  std::function<void(int)> call_;
  std::unique_ptr<Previous> previous_;
  Handle<uv_signal_t> handle_;
};

}  // namespace gpugauge::run
