#include "diagnose/catalogue.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace gpugauge::diagnose {

const Signatures& catalogue() {
  static const Signatures all = [] {
    constexpr std::array groups{tf32_causes,
                                tensor_core_causes,
                                convolution_causes,
                                library_causes,
                                binary_causes,
                                framework_causes,
                                driver_start_causes,
                                fabric_manager_causes,
                                start_failure_causes,
                                start_refused_causes,
                                module_causes,
                                module_build_causes,
                                platform_causes,
                                start_up_causes,
                                launch_causes,
                                host_causes,
                                neighbour_causes,
                                clock_causes,
                                power_causes,
                                heat_causes,
                                memory_causes,
                                gpu_memory_causes,
                                container_device_causes,
                                engine_causes,
                                vgpu_causes,
                                input_causes,
                                build_causes,
                                asked_for_causes,
                                board_causes,
                                managed_memory_causes,
                                link_causes,
                                copy_causes,
                                collective_causes,
                                collective_setting_causes,
                                network_causes,
                                job_causes,
                                operation_causes,
                                software_causes,
                                silent_causes,
                                change_causes};
    Signatures out;
    for (const auto& group : groups) {
      Signatures part = group();
      std::move(part.begin(), part.end(), std::back_inserter(out));
    }
    return out;
  }();
  return all;
}

const Signature* find_signature(std::string_view name) {
  const Signatures& all = catalogue();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Signature& signature) { return signature.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace gpugauge::diagnose
