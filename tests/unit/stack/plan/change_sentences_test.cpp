// A change in sentences.
#include <gmock/gmock.h>

#include "stack/plan/change.hpp"

namespace gpugauge::stack {
namespace {

using State = LayerChange::State;
using testing::ElementsAre;

TEST(UpgradeSentences, TheStateSaysWhetherALayerChanged) {
  StackChange change;
  const auto add = [&](State state, const char* sentence) {
    LayerChange layer;
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

TEST(UpgradeSentences, OfManySettingsTheFirstSixAreNamed) {
  StackChange change;
  EXPECT_EQ(settings_sentence(change), "");
  for (int i = 0; i < 7; ++i) {
    Difference& one = change.settings.emplace_back();
    one.key = "x." + std::to_string(i);
    one.left = "a";
    one.right = "b";
  }
  EXPECT_EQ(settings_sentence(change),
            "Settings that differ from before, and may be a cause: x.0 a -> b, x.1 a -> b, x.2 a -> b, x.3 a "
            "-> b, x.4 a -> b, x.5 a -> b and 1 more.");
  EXPECT_THAT(sentences(change), ElementsAre(settings_sentence(change)));
  change.settings.resize(1);
  EXPECT_EQ(settings_sentence(change), "Settings that differ from before, and may be a cause: x.0 a -> b.");
}

}  // namespace
}  // namespace gpugauge::stack
