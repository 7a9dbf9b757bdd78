// CUDA_VISIBLE_DEVICES, word by word.
#include "stack/visible_devices.hpp"

#include <ostream>

#include <gtest/gtest.h>

namespace gpugauge::stack {
namespace {

struct Variable {
  std::string value;
  int named;
  std::optional<std::string> stop = std::nullopt;
  std::optional<std::string> unknown = std::nullopt;
};
std::ostream& operator<<(std::ostream& out, const Variable& words) {
  return out << '"' << words.value << '"';
}

class TwoGpus : public testing::TestWithParam<Variable> {};

TEST_P(TwoGpus, AreNamedUpToTheFirstWordThatNamesNone) {
  const Variable& words = GetParam();
  const VisibleDevices found = visible_devices(words.value, 2, {"GPU-aa11", "GPU-aa22"});
  EXPECT_EQ(found.named, words.named);
  EXPECT_EQ(found.stop, words.stop);
  EXPECT_EQ(found.unknown, words.unknown);
  EXPECT_EQ(found.hides_all(), words.named == 0 && words.stop.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Values, TwoGpus,
    testing::Values(Variable{"", 0, ""}, Variable{"-1", 0, "-1"}, Variable{"NoDevFiles", 0, "NoDevFiles"},
                    Variable{"0", 1}, Variable{"0,1", 2}, Variable{" 1 , 0 ", 2}, Variable{"0,", 1, ""},
                    Variable{"0,-1,1", 1, "-1"}, Variable{"2", 0, "2"}, Variable{"1,9,0", 1, "9"},
                    Variable{"99999999999999999999999", 0, "99999999999999999999999"}, Variable{"GPU-aa1", 1},
                    Variable{"GPU-aa22,GPU-aa11", 2}, Variable{"GPU-b", 0, "GPU-b"},
                    Variable{"GPU-aa", 0, std::nullopt, "GPU-aa"},
                    Variable{"MIG-1", 0, std::nullopt, "MIG-1"},
                    Variable{"0,MIG-GPU-aa11/1/0", 1, std::nullopt, "MIG-GPU-aa11/1/0"},
                    Variable{"0,0", 1, std::nullopt, "0"}, Variable{"0x1", 0, std::nullopt, "0x1"}));

TEST(VisibleDevices, AreNotJudgedByGpusThatAreNotKnown) {
  EXPECT_EQ(visible_devices("7", std::nullopt, {}).unknown, "7");
  EXPECT_EQ(visible_devices("GPU-b", 2, {}).unknown, "GPU-b");
  EXPECT_EQ(visible_devices("GPU-b", 2, {"GPU-aa11", ""}).unknown, "GPU-b");
  EXPECT_TRUE(visible_devices("-1", std::nullopt, {}).hides_all());
}

}  // namespace
}  // namespace gpugauge::stack
