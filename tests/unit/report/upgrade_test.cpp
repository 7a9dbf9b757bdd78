#include "report/upgrade.hpp"

#include <gmock/gmock.h>

namespace gpugauge::report {
namespace {

using State = stack::LayerChange::State;
using testing::ElementsAre;

TEST(UpgradeSentences, TheStateSaysWhetherALayerChanged) {
  stack::StackChange change;
  const auto add = [&](State state, const char* sentence) {
    stack::LayerChange layer;
    layer.state = state;
    layer.sentence = sentence;
    change.layers.push_back(layer);
  };
  add(State::unchanged, "driver: 590 was planned and 570 is there as before.");
  add(State::back, "cuda: it is 12.8, and 13.0 was planned.");
  add(State::other, "nccl: 2.28 was planned and it is 2.27 now.");
  add(State::unplanned, "GPU: gpu.0.name a -> the plan says what it is still to become.");
  EXPECT_THAT(sentences(change),
              ElementsAre("Not changed: driver: 590 was planned and 570 is there as before.",
                          "As before: cuda: it is 12.8, and 13.0 was planned.",
                          "Changed: nccl: 2.28 was planned and it is 2.27 now.",
                          "Changed: GPU: gpu.0.name a -> the plan says what it is still to become."));
}

}  // namespace
}  // namespace gpugauge::report
