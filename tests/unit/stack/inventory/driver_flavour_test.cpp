// The newest installed kernel is one of the running kernel's flavour.
#include <gmock/gmock.h>

#include "servers.hpp"

namespace gpugauge::stack {
namespace {

TEST(Driver, AKernelOfAnotherFlavourIsNotTheNewestOfThisOne) {
  const auto newest = [](const std::string& running, const std::string& other) {
    FakeTree tree;
    tree.kernel(running);
    for (const std::string& name : {running, other}) tree.file("/boot/vmlinuz-" + name, "");
    return [&] {
      Inventory found;
      collect_driver(context_of(tree), found);
      return found.value("driver.newest_kernel");
    }();
  };
  const std::string red_hat = "5.14.0-570.el9.x86_64";
  for (const char* const end : {"+debug", "+rt", "+64k", "+rt-debug"})
    EXPECT_EQ(newest(red_hat, red_hat + end), red_hat);
  EXPECT_EQ(newest("6.1.0-25-amd64", "6.1.0-26-rt-amd64"), "6.1.0-25-amd64");
  EXPECT_EQ(newest("6.8.0-1010-nvidia", "6.8.0-1011-nvidia-64k"), "6.8.0-1010-nvidia");
  EXPECT_EQ(newest("6.1.0-25-amd64", "6.12.38+deb13-amd64"), "6.12.38+deb13-amd64") << "no flavour";
  EXPECT_EQ(newest("6.15.2-arch1-1", "6.15.3-arch1-1"), "6.15.3-arch1-1");
}

}  // namespace
}  // namespace gpugauge::stack
