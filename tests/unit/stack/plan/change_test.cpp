// What an upgrade changed: planned, not planned, half done, and what came along.
#include "stack/plan/change.hpp"

#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using State = LayerChange::State;
using testing::ElementsAre;
using testing::IsEmpty;

Inventory node() {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA H100 80GB HBM3", "9.0", "700");
  set_all(inventory, {{"library.nccl.0.path", "/usr/lib/libnccl.so.2.27.3"},
                      {"library.nccl.0.version", "2.27.3"},
                      {"library.nccl.0.origin", "loader cache"},
                      {"framework.torch.version", "2.8.0"},
                      {"wheel.nvidia-cudnn-cu12.version", "9.10.2.21"},
                      {"env.NCCL_DEBUG", "WARN"}});
  return inventory;
}

void set_driver(Inventory& inventory, const std::string& version) {
  set_all(inventory, {{"driver.version", version},
                      {"driver.libcuda_version", version},
                      {"driver.libnvml_version", version}});
  set(inventory, "driver.kernel_module_version", version, "/proc/driver/nvidia/version");
}

/// "driver as planned", in order.
std::vector<std::string> states(const StackChange& change) {
  std::vector<std::string> out;
  for (const LayerChange& layer : change.layers) out.push_back(layer.layer + " " + to_string(layer.state));
  return out;
}

TEST(StackChange, NothingDiffers) {
  const StackChange none = stack_change(node(), node(), {});
  EXPECT_FALSE(none.changed());
  EXPECT_TRUE(none.complete());
  EXPECT_THAT(none.layers, IsEmpty());
  const StackChange planned = stack_change(node(), node(), parse_plan("driver=590"));
  EXPECT_FALSE(planned.changed());
  EXPECT_FALSE(planned.complete());
  EXPECT_THAT(states(planned), ElementsAre("driver planned, not changed"));
  EXPECT_EQ(planned.layers[0].sentence, "driver: 590 was planned and it is still 580.65.06.");
}

TEST(StackChange, WhatIsAsBeforeAfterTheNewStackWasMeasuredIsNotCalledUnchanged) {
  const StackChange back = stack_change(node(), node(), parse_plan("driver=590"), true);
  EXPECT_FALSE(back.changed());
  EXPECT_FALSE(back.complete());
  EXPECT_THAT(states(back), ElementsAre("driver as before"));
  EXPECT_EQ(back.layers[0].sentence, "driver: it is 580.65.06, and 590 was planned.");
}

TEST(StackChange, WhatWasPlannedIsThere) {
  Inventory now = node();
  set_driver(now, "590.48.01");
  const StackChange change = stack_change(node(), now, parse_plan("driver=590"));
  EXPECT_TRUE(change.changed());
  EXPECT_TRUE(change.complete());
  EXPECT_THAT(states(change), ElementsAre("driver as planned"));
  EXPECT_EQ(change.layers[0].sentence, "driver: 580.65.06 -> 590.48.01, as planned.");
  EXPECT_EQ(change.layers[0].differences.size(), 4U);
  EXPECT_THAT(change.unplanned(), IsEmpty());
}

TEST(StackChange, AnotherVersionThanPlanned) {
  Inventory now = node();
  set_driver(now, "595.91.07");
  const StackChange change = stack_change(node(), now, parse_plan("driver=590"));
  EXPECT_THAT(states(change), ElementsAre("driver planned otherwise"));
  EXPECT_EQ(change.layers[0].sentence, "driver: 590 was planned and it is 595.91.07 now (580.65.06 before).");
  EXPECT_FALSE(change.complete());
}

TEST(StackChange, LibrariesWithoutTheModuleAreHalfAnUpgrade) {
  Inventory now = node();
  set_driver(now, "590.48.01");
  set(now, "driver.kernel_module_version", "580.65.06", "/proc/driver/nvidia/version");
  const StackChange change = stack_change(node(), now, parse_plan("driver=590"));
  EXPECT_THAT(states(change), ElementsAre("driver planned, half there"));
  EXPECT_EQ(change.layers[0].sentence,
            "driver: the libraries are 590.48.01 and the module in the kernel is 580.65.06: the machine was "
            "not restarted since, or no module was built for this kernel.");
  EXPECT_FALSE(change.complete());
}

/// A shell whose CUDA_HOME is this toolkit, beside one in /usr/local.
Inventory shell(const std::string& cuda_home) {
  Inventory out = node();
  set_all(out, {{"toolkit.0.path", "/usr/local/cuda-13.0"},
                {"toolkit.0.version", "13.0"},
                {"toolkit.by./usr/local/cuda", "/usr/local/cuda-13.0"},
                {"toolkit.by.CUDA_HOME", cuda_home},
                {"toolkit.selected", cuda_home},
                {"toolkit.selected_by", "CUDA_HOME"},
                {"env.CUDA_HOME", cuda_home}});
  if (cuda_home != "/usr/local/cuda-13.0")
    set_all(out, {{"toolkit.1.path", cuda_home},
                  {"toolkit.1.version", "13.1"},
                  {"library.nccl.1.path", cuda_home + "/lib64/libnccl.so.2.28.9"},
                  {"library.nccl.1.version", "2.28.9"}});
  return out;
}

TEST(StackChange, AVariableOfTheShellAloneIsASettingAndNoOtherStack) {
  const Inventory before = shell("/usr/local/cuda-13.0");
  Inventory now = shell("/home/u/cuda");
  StackChange change = stack_change(before, now, {});
  EXPECT_FALSE(change.changed()) << states(change).size();
  EXPECT_THAT(change.layers, IsEmpty());
  EXPECT_GE(change.settings.size(), 3U) << "it is told all the same";
  EXPECT_FALSE(stack_change(now, before, {}).changed());
  // What the loader takes is another stack, however that came about.
  set_all(now, {{"library.nccl.0.version", "2.28.9"}});
  EXPECT_THAT(states(stack_change(before, now, {})), ElementsAre("nccl changed"));
  // A toolkit in a usual place was installed.
  change = stack_change(before, shell("/usr/local/cuda-13.1"), {});
  EXPECT_THAT(states(change), testing::Contains("cuda changed"));
  // Who plans another CUDA may select it so.
  EXPECT_THAT(states(stack_change(before, shell("/home/u/cuda"), parse_plan("cuda=13.1"))),
              testing::Contains(testing::StartsWith("cuda ")));
  EXPECT_TRUE(stack_change(before, shell("/home/u/cuda"), parse_plan("cuda=13.1")).changed());
}

TEST(StackChange, WhatNobodyPlannedIsNamed) {
  Inventory now = node();
  set_driver(now, "590.48.01");
  set(now, "kernel.version", "6.8.0-85-generic");
  set(now, "library.nccl.0.version", "2.28.3");
  const StackChange change = stack_change(node(), now, parse_plan("driver=590"));
  EXPECT_THAT(states(change), ElementsAre("driver as planned", "nccl not planned", "system not planned"));
  EXPECT_EQ(change.layers[1].sentence, "nccl: 2.27.3 -> 2.28.3; the plan does not name it.");
  EXPECT_EQ(change.layers[2].sentence,
            "system: kernel.version 6.8.0-79-generic -> 6.8.0-85-generic; the plan does not name it.");
  EXPECT_THAT(change.unplanned(), ElementsAre("nccl", "system"));
  // Without a plan there is nothing that it could contradict.
  EXPECT_THAT(states(stack_change(node(), now, {})),
              ElementsAre("driver changed", "nccl changed", "system changed"));
}

TEST(StackChange, WhatOneDriverAloneTellsOfACardIsNoOtherCard) {
  Inventory before = node();
  Inventory now = node();
  set(before, "gpu.0.mig", "absent of late");  // a value is one whatever it says
  set(now, "gpu.0.mig", "unreadable by any");
  EXPECT_THAT(states(stack_change(before, now, {})), ElementsAre("GPU changed"));
  before.unreadable("gpu.0.mig", "nvml", "root");
  EXPECT_THAT(states(stack_change(before, now, {})), IsEmpty());
  before.absent("gpu.0.mig", "nvml");
  EXPECT_THAT(states(stack_change(before, now, {})), IsEmpty());
}

TEST(StackChange, AFrameworkBringsItsWheels) {
  Inventory now = node();
  set(now, "framework.torch.version", "2.9.0");
  set(now, "wheel.nvidia-cudnn-cu12.version", "9.13.0.50");
  const StackChange change = stack_change(node(), now, parse_plan("torch=2.9"));
  EXPECT_THAT(states(change), ElementsAre("torch as planned", "cudnn came with the plan"));
  EXPECT_EQ(change.layers[1].sentence,
            "cudnn: wheel.nvidia-cudnn-cu12.version 9.10.2.21 -> 9.13.0.50, brought by torch.");
  // The system's own library is no wheel.
  set(now, "library.nccl.0.version", "2.28.3");
  EXPECT_THAT(states(stack_change(node(), now, parse_plan("torch=2.9"))),
              ElementsAre("torch as planned", "nccl not planned", "cudnn came with the plan"));
}

TEST(StackChange, SettingsAreNoOtherStack) {
  Inventory now = node();
  set(now, "env.NCCL_DEBUG", "INFO");
  set(now, "package.nvidia-driver-580-open.held", "no");
  set(now, "host.governor", "powersave");
  const StackChange change = stack_change(node(), now, {});
  EXPECT_FALSE(change.changed());
  EXPECT_EQ(change.settings.size(), 3U);
}

TEST(StackChange, AnotherEnvironmentOfTheSamePythonIsNoOtherStack) {
  Inventory before = node();
  Inventory now = node();
  set_all(before, {{"python.path", "/venv/bin/python3"},
                   {"python.prefix", "/venv"},
                   {"python.kind", "venv"},
                   {"python.version", "3.11.9"}});
  set_all(now, {{"python.path", "/usr/bin/python3"},
                {"python.prefix", "/usr"},
                {"python.kind", "system"},
                {"python.version", "3.11.9"}});
  const StackChange same = stack_change(before, now, {});
  EXPECT_FALSE(same.changed());
  EXPECT_EQ(same.settings.size(), 3U);
  set(now, "python.version", "3.12.3");
  EXPECT_THAT(states(stack_change(before, now, {})), ElementsAre("python changed"));
}

TEST(StackChange, WhereNoFileTellsTheVersionThePackagesDo) {
  Inventory before;
  Inventory now;
  set_all(before, {{"package.nvidia-driver-570-open.version", "570.86.15-0ubuntu1"},
                   {"package.nvidia-driver-570-open.held", "no"},
                   {"package.libnccl2.version", "2.25.1-1+cuda12.8"}});
  set_all(now, {{"package.nvidia-driver-580-open.version", "580.65.06-0ubuntu1"},
                {"package.nvidia-driver-580-open.held", "no"},
                {"package.libnccl2.version", "2.27.3-1+cuda12.9"}});
  const StackChange change = stack_change(before, now, parse_plan("driver=580,nccl=2.26"));
  EXPECT_THAT(states(change), ElementsAre("driver as planned", "nccl planned otherwise"));
  EXPECT_EQ(change.layers[0].sentence, "driver: 570.86.15 -> 580.65.06, as planned.");
  EXPECT_EQ(change.layers[1].sentence, "nccl: 2.26 was planned and it is 2.27.3 now (2.25.1 before).");
  EXPECT_THAT(change.settings, IsEmpty());
}

TEST(StackChange, ALimitOfAGpuIsAChangeAndAFactThatOnlyTheNewDriverTellsIsNot) {
  Inventory now = node();
  set_gpu(now, 0, {{"power_limit_watt", "500"}, {"fabric_status", "0x0"}});
  const StackChange change = stack_change(node(), now, {});
  ASSERT_THAT(states(change), ElementsAre("GPU changed"));
  EXPECT_EQ(change.layers[0].sentence, "GPU: gpu.0.power_limit_watt 700 -> 500.");
}

TEST(StackChange, EveryPackageHasItsLayer) {
  const std::vector<std::pair<const char*, const char*>> expected{
      {"nvidia-driver-580-open", "driver"},
      {"libnvidia-compute-580", "driver"},
      {"nvidia-fabricmanager-580", "driver"},
      {"nvidia-imex-580", "driver"},
      {"linux-modules-nvidia-580-open-6.8.0-60-generic", "driver"},
      {"nvlsm", "driver"},
      {"libcudnn9-cuda-12", "cudnn"},
      {"cudnn9-cuda-13", "cudnn"},
      {"libnccl2", "nccl"},
      {"libnvinfer10", "tensorrt"},
      {"tensorrt", "tensorrt"},
      {"cuda-toolkit-13-0", "cuda"},
      {"cuda-drivers", "driver"},
      {"libcublas-13-0", "cuda"},
      {"cuda-compat-13-0", "cuda"},
      {"nvidia-cuda-toolkit", "cuda"},
      {"nvidia-container-toolkit", "container"},
      {"libnvidia-container1", "container"},
      {"datacenter-gpu-manager-4-core", "other"}};
  for (const auto& [name, layer] : expected) EXPECT_EQ(package_layer(name), layer) << name;
}

}  // namespace
}  // namespace gpugauge::stack
