#include "result/build.hpp"

namespace gpugauge::result {

const Build& build() {
  static const Build instance = [] {
    Build made{GPUGAUGE_VERSION, GPUGAUGE_COMMIT, GPUGAUGE_CUDA_VERSION, GPUGAUGE_ARCHITECTURE_LIST, ""};
    if (made.cuda.starts_with("12.")) made.minimum_driver = GPUGAUGE_MINIMUM_DRIVER_12;
    if (made.cuda.starts_with("13.")) made.minimum_driver = GPUGAUGE_MINIMUM_DRIVER_13;
    return made;
  }();
  return instance;
}

}  // namespace gpugauge::result
