// The event loop that one run shares: children, pipes, timers and signals.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include <uv.h>

namespace gpugauge::run {

/// Owns a uv_loop_t. Destroy every handle made on it first.
class Loop {
 public:
  /// Throws std::runtime_error if no file descriptors are left for it.
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  uv_loop_t* get() { return loop_.get(); }  ///< still owned by the Loop, which uses its field `data`

  /// Handles events until `done()` holds; checks it after every batch of events. Rethrows here what a
  /// callback threw, because an exception must not cross libuv's C frames.
  void run_until(const std::function<bool()>& done);
  /// Handles events until `seconds` are over or `or_until()` holds.
  void run_for(
      double seconds, const std::function<bool()>& or_until = [] { return false; });

  /// Handles pending events without waiting. The next run_until rethrows what a callback throws.
  void run_pending();

  /// Runs `call` for a libuv callback and keeps what it throws for run_until.
  static void guard(uv_loop_t* loop, const std::function<void()>& call) noexcept;

 private:
  std::unique_ptr<uv_loop_t> loop_;
  std::exception_ptr thrown_;
};

/// Deletes a handle. libuv closes handles asynchronously, so the memory must live until the loop reports the
/// close.
struct CloseHandle {
  /// Starts the close; libuv's callback frees the handle. Sets `data` to nullptr, so a late callback sees
  /// that the owner is gone.
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

/// A timer that calls back once or repeatedly, until it is destroyed or stopped.
class Timer {
 public:
  explicit Timer(Loop& loop);  ///< does nothing yet. `loop` must outlive the timer.
  /// Calls `call` once, after `seconds` (rounded up to milliseconds; clamped to 0 ... 1e12). Replaces an
  /// earlier setting. run_until rethrows what `call` throws.
  void once(double seconds, std::function<void()> call);
  /// Calls `call` every `seconds`, first after one such interval. An interval between 0 and 1 ms becomes 1
  /// ms; 0 means once. Replaces an earlier setting.
  void every(double seconds, std::function<void()> call);
  void stop();  ///< harmless when nothing is set

 private:
  void start(double seconds, double repeat, std::function<void()> call);

  Handle<uv_timer_t> handle_;
  std::function<void()> call_;
};

/// Calls back for a signal instead of the process's own disposition; the destructor restores that.
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
