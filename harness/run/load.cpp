#include "run/load.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <sys/prctl.h>
#include <unistd.h>

#include "run/surroundings.hpp"

namespace gpugauge::run {
namespace {

[[noreturn]] void compute_without_end() {
  volatile double sink = 1;
  for (double a = sink, b = a + 1, c = b + 1, d = c + 1;;) {
    for (int i = 0; i < 100000; ++i) {
      a = a * 1.0000001 + 1e-9;
      b = b * 0.9999999 + 1e-9;
      c = c * 1.0000001 - 1e-9;
      d = d * 0.9999999 - 1e-9;
    }
    sink = a + b + c + d;
    if (sink > 1e100) a = b = c = d = 1;
  }
}

[[noreturn]] void stream_without_end(char* buffer, std::size_t bytes) {
  const std::size_t half = bytes / 2;
  for (bool forth = true;; forth = !forth)
    std::memcpy(forth ? buffer : buffer + half, forth ? buffer + half : buffer, half);
}

}  // namespace

int load_main(LoadKind kind, const std::vector<int>& processors, std::size_t bytes, pid_t parent) {
  if (parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != parent) return 1;
  }
  const std::vector<int> places = processors.empty() ? allowed_processors() : processors;
  std::atomic<std::size_t> at_work{0};
  std::atomic<bool> failed{false};
  std::exception_ptr thrown;
  std::mutex throwing;
  std::vector<std::thread> threads;
  threads.reserve(places.size());
  for (const int place : places)
    threads.emplace_back([&, place] {
      try {
        const Confined confined({place});
        std::unique_ptr<char[]> buffer;
        if (kind == LoadKind::memory) {
          buffer.reset(new char[bytes]);
          std::memset(buffer.get(), 1, bytes);  // pages never written would all map to one page of zeros
        }
        ++at_work;
        if (kind == LoadKind::memory) stream_without_end(buffer.get(), bytes);
        compute_without_end();
      } catch (...) {
        const std::lock_guard lock(throwing);
        thrown = std::current_exception();
        failed = true;
      }
    });
  while (at_work < threads.size() && !failed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (failed) {
    // The other threads never end, so do not wait for them.
    const std::lock_guard lock(throwing);
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::fflush(stderr);
    ::_exit(1);
  }
  std::printf("%s\n", std::string(load_ready).c_str());
  std::fflush(stdout);
  for (std::thread& thread : threads) thread.join();
  return 1;
}

}  // namespace gpugauge::run
