// The next steps of the rules on GPUs: commands for these GPUs and no other.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::HasSubstr;

TEST(GpuRules, StepsNameTheGpusThatTheyAreFor) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 3, {{"power_limit_watt", "500"}});
  EXPECT_EQ(findings_of(check_gpus, inventory)[0].next[0],
            "Back to the default: `sudo nvidia-smi -i 0000:3a:00.0 -pl 700`");
  set_gpu(inventory, 5, {{"power_limit_watt", "500"}});
  EXPECT_EQ(
      findings_of(check_gpus, inventory)[0].next[0],
      "Back to the default: `for gpu in 0000:3a:00.0 0000:5a:00.0; do sudo nvidia-smi -i $gpu -pl 700; done`");
  Inventory mode = h100_server();
  set_gpu(mode, 1, {{"compute_mode", "prohibited"}});
  EXPECT_EQ(the(findings_of(check_gpus, mode), "compute_mode_restricts").next[0],
            "If it is not meant: `sudo nvidia-smi -i 0000:1a:00.0 -c DEFAULT`");
  Inventory pending = h100_server();
  set_gpu(pending, 2, {{"ecc_pending", "off"}});
  const std::vector<std::string> steps = the(findings_of(check_gpus, pending), "pending_setting").next;
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_THAT(steps[0], HasSubstr("--gpu-reset -i 0000:2a:00.0"));
  EXPECT_EQ(steps[1], "Or take the change back: `sudo nvidia-smi -i 0000:2a:00.0 -e 1`");
  Inventory ecc = h100_server();
  set_gpu(ecc, 4, {{"ecc", "off"}, {"ecc_pending", "off"}});
  EXPECT_EQ(findings_of(check_gpus, ecc)[0].next[0],
            "Set it like the others: `sudo nvidia-smi -i 0000:4a:00.0 -e 1`, then reset or reboot");
}

}  // namespace
}  // namespace gpugauge::stack
