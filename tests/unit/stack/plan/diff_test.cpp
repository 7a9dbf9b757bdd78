#include "stack/plan/diff.hpp"

#include <gmock/gmock.h>

#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines(const Inventory& left, const Inventory& right) {
  std::vector<std::string> texts;
  for (const Difference& one : diff(left, right))
    texts.push_back(std::string(to_string(one.consequence)) + " | " + one.key + " | " + one.left + " | " +
                    one.right);
  return texts;
}

TEST(Diff, OneMachineDiffersInNothing) {
  Inventory machine = world::new_driver();
  world::put_toolkit(machine, "12.8");
  EXPECT_THAT(diff(machine, machine), IsEmpty());
}

TEST(Diff, MostConsequentialComesFirst) {
  const Inventory left = world::holding({{"host.libc", "glibc 2.36"},
                                         {"env.NCCL_DEBUG", "INFO"},
                                         {"gpu.0.uuid", "GPU-1"},
                                         {"gpu.0.throttle_reasons", "none"},
                                         {"framework.torch.version", "2.8.0"},
                                         {"library.nccl.0.version", "2.27.3"},
                                         {"toolkit.selected", "/usr/local/cuda-12.8"},
                                         {"gpu.0.vbios", "96.00"},
                                         {"driver.version", "570.26"},
                                         {"python.path", "/usr/bin/python3"}});
  Inventory right = world::holding({{"host.libc", "glibc 2.39"},
                                    {"gpu.0.uuid", "GPU-2"},
                                    {"gpu.0.throttle_reasons", "sw_power_cap"},
                                    {"library.nccl.0.version", "2.26.2"},
                                    {"toolkit.selected", "/usr/local/cuda-13.0"},
                                    {"gpu.0.vbios", "97.00"},
                                    {"driver.version", "580.65.06"},
                                    {"python.path", "/usr/bin/python3"},
                                    {"host.iommu", "off"}});
  right.unreadable("env.NCCL_DEBUG", "/proc", "root");
  EXPECT_THAT(
      lines(left, right),
      ElementsAre("driver | driver.version | 570.26 | 580.65.06", "GPU | gpu.0.vbios | 96.00 | 97.00",
                  "CUDA | toolkit.selected | /usr/local/cuda-12.8 | /usr/local/cuda-13.0",
                  "libraries | library.nccl.0.version | 2.27.3 | 2.26.2",
                  "frameworks | framework.torch.version | 2.8.0 | absent",
                  "host | host.libc | glibc 2.36 | glibc 2.39", "host | host.iommu | not looked for | off",
                  "settings and packages | env.NCCL_DEBUG | INFO | unreadable (it takes root)",
                  "which one it is | gpu.0.uuid | GPU-1 | GPU-2",
                  "passing states | gpu.0.throttle_reasons | none | sw_power_cap"));
}

TEST(Diff, LeavesOutWhatAlwaysDiffers) {
  EXPECT_THAT(diff(world::holding({{"collected.at", "1"},
                                   {"collected.seconds", "0.1"},
                                   {"gpu.0.temperature_c", "30"},
                                   {"gpu.10.pstate", "P0"},
                                   {"cuda.init.seconds", "1"},
                                   {"process.pid", "1"}}),
                   world::holding({{"collected.at", "2"},
                                   {"collected.seconds", "0.2"},
                                   {"gpu.0.temperature_c", "60"},
                                   {"gpu.10.pstate", "P8"},
                                   {"cuda.init.seconds", "2"},
                                   {"process.pid", "2"}})),
              IsEmpty());
}

TEST(Diff, AListIsComparedByPathNotByPlace) {
  Inventory left;
  Inventory right;
  world::put(left, {{"toolkit.0.path", "/usr/local/cuda-12.8"}, {"toolkit.0.version", "12.8"}});
  world::put(right, {{"toolkit.0.path", "/usr/local/cuda-11.8"},
                     {"toolkit.0.version", "11.8"},
                     {"toolkit.1.path", "/usr/local/cuda-12.8"},
                     {"toolkit.1.version", "12.8"}});
  EXPECT_THAT(lines(left, right),
              ElementsAre("CUDA | toolkit[/usr/local/cuda-11.8].version | absent | 11.8"));
}

TEST(Diff, TheLoadersPickIsComparedAsSuch) {
  Inventory left;
  Inventory right;
  world::put_library(left, "nccl", 0, "/usr/lib/a.so", "2.27.3", "libnccl.so.2", "loader cache");
  world::put_library(right, "nccl", 0, "/opt/b.so", "2.26.2", "libnccl.so.2", "loader cache");
  world::put_library(right, "nccl", 1, "/usr/lib/a.so", "2.27.3", "libnccl.so.2", "standard folder");
  EXPECT_THAT(lines(left, right),
              ElementsAre("libraries | library.nccl.0.path | /usr/lib/a.so | /opt/b.so",
                          "libraries | library.nccl.0.version | 2.27.3 | 2.26.2",
                          "libraries | library.nccl[/usr/lib/a.so].version | absent | 2.27.3",
                          "libraries | library.nccl[/usr/lib/a.so].soname | absent | libnccl.so.2",
                          "libraries | library.nccl[/usr/lib/a.so].origin | absent | standard "
                          "folder"));
}

TEST(Diff, AbsentAndNotLookedForComeToTheSame) {
  Inventory left;
  left.absent("fabric_manager.version", "/proc");
  EXPECT_THAT(diff(left, Inventory{}), IsEmpty());
  EXPECT_THAT(diff(Inventory{}, left), IsEmpty());
  Inventory empty;
  empty.present("env.LD_PRELOAD", "", "environment");
  EXPECT_THAT(lines(empty, Inventory{}),
              ElementsAre("settings and packages | env.LD_PRELOAD | (empty) | absent"));
}

}  // namespace
}  // namespace gpugauge::stack
