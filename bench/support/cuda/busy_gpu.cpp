#include "support/cuda/busy_gpu.hpp"

#include <memory>
#include <stdexcept>

#include "kernels/support/sm_clock.hpp"
#include "support/cuda/resources.hpp"
#include "support/cuda/stamps.hpp"

namespace gpugauge::bench::cuda {

namespace {

struct Spinner {
  Stream stream;
  Stamps stamps;

  BatchTime spin(std::int64_t milliseconds) {
    constexpr std::uint64_t nanoseconds = 1'000'000;
    stamps.begin(stream.get());
    check(kernels::launch_spin(static_cast<std::uint64_t>(milliseconds) * nanoseconds, stream.get()),
          "launching a spinning kernel");
    stamps.end(stream.get());
    stream.synchronize();
    if (!stamps.ran())
      throw std::runtime_error(
          "kernels were launched without an error and did not run: what they should have written is not "
          "there");
    return {static_cast<double>(milliseconds) * 1e-3, stamps.hertz()};
  }
};

}  // namespace

Spin spin_of_gpu() {
  const auto spinner = std::make_shared<Spinner>();
  spinner->spin(1);
  return [spinner](std::int64_t milliseconds) { return spinner->spin(milliseconds); };
}

}  // namespace gpugauge::bench::cuda
