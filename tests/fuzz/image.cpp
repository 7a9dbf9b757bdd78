// What was written into a container image: variables, labels, what docker inspect prints, and the
// requirements among them.
#include "fuzz/support/target.hpp"
#include "stack/plan/image_env.hpp"

namespace gpugauge::fuzz {
namespace {

stack::Inventory host() {
  stack::Inventory inventory;
  inventory.present("driver.version", "535.183.01", "/proc/driver/nvidia/version");
  inventory.present("driver.cuda_max", "12.2", "libcuda.so.1");
  inventory.present("gpu.0.name", "NVIDIA H100 80GB HBM3", "nvml");
  inventory.present("gpu.0.brand", "NVIDIA", "nvml");
  inventory.present("gpu.0.compute_capability", "9.0", "nvml");
  return inventory;
}

void read(std::string_view bytes) {
  static const stack::Inventory known = host();
  const std::string text(bytes);
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (const auto expression = stack::parse_require(line))
      stack::holds(*expression, stack::require_host(known));
  }
  stack::ImageEnvironment image;
  if (!accepted([&] { image = stack::read_image_environment(text, "image.env"); })) return;
  require(!image.variables.empty() || !image.labels.empty(), "an image that says nothing was accepted");
  for (const stack::Inventory& inventory : {known, stack::Inventory()})
    require(!stack::judge_image(image, inventory, stack::tables()).sentence.empty(),
            "no sentence on an image");
}

const Target target("image", read);

}  // namespace
}  // namespace gpugauge::fuzz
