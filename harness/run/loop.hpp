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

  uv_loop_t* get() { return loop_.get(); }

  /// Handles events until `done()` holds; it is asked after every batch of events. An exception of a callback
  /// arrives here, not in libuv, whose C frames it must not cross.
  void run_until(const std::function<bool()>& done);
  void run_for(
      double seconds, const std::function<bool()>& or_until = [] { return false; });

  /// Calls back on behalf of libuv and keeps what is thrown for run_until.
  static void guard(uv_loop_t* loop, const std::function<void()>& call) noexcept;

 private:
  std::unique_ptr<uv_loop_t> loop_;
  std::exception_ptr thrown_;
};

/// libuv closes handles later than they are asked to: the memory lives until the loop has said so.
struct CloseHandle {
  template <class H>
  void operator()(H* handle) const {
    handle->data = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(handle),
             [](uv_handle_t* closed) { delete reinterpret_cast<H*>(closed); });
  }
};
template <class H>
using Handle = std::unique_ptr<H, CloseHandle>;

/// A timer that calls back once or again and again until it is destroyed or stopped.
class Timer {
 public:
  explicit Timer(Loop& loop);
  void once(double seconds, std::function<void()> call);
  void every(double seconds, std::function<void()> call);
  void stop();

 private:
  void start(double seconds, double repeat, std::function<void()> call);

  Handle<uv_timer_t> handle_;
  std::function<void()> call_;
};

/// Calls back for a signal instead of the process's own disposition, which is put back at the end.
class SignalWatch {
 public:
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
