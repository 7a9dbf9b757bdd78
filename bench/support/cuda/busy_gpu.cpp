#include "support/cuda/busy_gpu.hpp"

#include <algorithm>
#include <memory>

#include "kernels/support/sm_clock.hpp"
#include "support/cuda/resources.hpp"
#include "support/cuda/stamps.hpp"

namespace gpugauge::bench::cuda {

namespace {

struct Spinner {
  Stream stream;
  Stamps stamps;

  BatchTime spin(std::int64_t milliseconds) {
    // Where kernels do not run, nothing else bounds what a caller asks for next.
    constexpr std::int64_t most = 10;
    constexpr std::uint64_t nanoseconds = 1'000'000;
    const std::int64_t taken = std::min(milliseconds, most);
    stamps.begin(stream.get());
    check(kernels::launch_spin(static_cast<std::uint64_t>(taken) * nanoseconds, stream.get()),
          "launching a spinning kernel");
    stamps.end(stream.get());
    stream.synchronize();
    return {static_cast<double>(taken) * 1e-3, stamps.hertz()};
  }
};

}  // namespace

Spin spin_of_gpu() {
  const auto spinner = std::make_shared<Spinner>();
  spinner->spin(1);
  return [spinner](std::int64_t milliseconds) { return spinner->spin(milliseconds); };
}

}  // namespace gpugauge::bench::cuda
