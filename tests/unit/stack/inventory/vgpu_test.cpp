#include <gtest/gtest.h>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {
namespace {

TEST(Vgpu, AVgpuGuestKnowsItsOwnReleaseAndNotItsHosts) {
  Inventory guest;
  guest.present("vgpu.guest", "yes", "test");
  guest.present("driver.version", "525.85.05", "test");
  collect_vgpu(guest);
  EXPECT_EQ(guest.value("vgpu.version"), "15");
  EXPECT_TRUE(guest.unreadable("vgpu.host_version"));
  guest.present("driver.version", "390.157", "test");
  collect_vgpu(guest);
  EXPECT_EQ(guest.find("vgpu.version")->presence, Presence::absent);
  Inventory metal;
  collect_vgpu(metal);
  EXPECT_TRUE(metal.items().empty());
}

}  // namespace
}  // namespace gpugauge::stack
