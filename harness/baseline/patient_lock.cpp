#include "baseline/patient_lock.hpp"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <sys/file.h>

#include "result/error.hpp"

namespace gpugauge::baseline {

void lock_patiently(int descriptor, const std::filesystem::path& place) {
  constexpr auto patience = std::chrono::seconds(10);
  constexpr auto pause = std::chrono::milliseconds(20);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return;
    if (std::chrono::steady_clock::now() > end)
      throw result::FileError(fmt::format(
          "{} has been locked by another process for {} s; nothing was written; `fuser {}` names it",
          place.string(), patience.count(), place.string()));
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace gpugauge::baseline
