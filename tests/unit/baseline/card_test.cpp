#include "baseline/card.hpp"

#include <gmock/gmock.h>

#include "baseline/baseline.hpp"
#include "baseline/fields.hpp"

namespace gpugauge::baseline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A node with these cards, in this order; each has its own power limit, as its number was at first.
result::Fingerprint node(const std::vector<std::string>& uuids) {
  result::Fingerprint out;
  out.device = {{"host.cpu_model", "X"}, {"gpu.count", std::to_string(uuids.size())}};
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    const std::string prefix = "gpu." + std::to_string(i) + ".";
    out.device[prefix + "uuid"] = uuids[i];
    out.device[prefix + "name"] = "NVIDIA H200";
    out.settings[prefix + "power_limit_watt"] = "70" + uuids[i].substr(4);
    out.topology[prefix + "numa_node"] = uuids[i].substr(4);
  }
  out.settings["env.CUDA_LAUNCH_BLOCKING"] = "absent";
  return out;
}

const result::Fingerprint four = node({"GPU-0", "GPU-1", "GPU-2", "GPU-3"});
const result::Fingerprint three = node({"GPU-0", "GPU-2", "GPU-3"});

TEST(Card, HasTheNumberThatTheFingerprintGivesIt) {
  EXPECT_EQ(number_of_card(three, "GPU-2"), "1");
  EXPECT_EQ(number_of_card(three, "GPU-1"), std::nullopt);
  for (const char* none : {"", "host", "links"}) EXPECT_EQ(number_of_card(four, none), std::nullopt);
}

TEST(Card, IsTheSameWhateverCardsAreBesideIt) {
  ASSERT_FALSE(mismatches(three, four).empty()) << "another count, and other cards";
  const auto [now, then] = about_cards(three, "GPU-2", four, "GPU-2");
  EXPECT_EQ(now, then);
  EXPECT_EQ(now.settings.at("gpu.1.power_limit_watt"), "702");
  EXPECT_EQ(now.settings.count("gpu.0.power_limit_watt"), 0U);
  EXPECT_EQ(now.device.count("gpu.count"), 0U);
  EXPECT_EQ(now.device.at("host.cpu_model"), "X");
  EXPECT_EQ(now.settings.at("env.CUDA_LAUNCH_BLOCKING"), "absent");
}

TEST(Card, ThatDiffersItselfStillDoes) {
  result::Fingerprint other = four;
  other.device["gpu.2.name"] = "NVIDIA H20";
  other.settings["gpu.2.power_limit_watt"] = "400";
  result::Run now, then;
  now.device = then.device = "GPU-2";
  now.fingerprint = three;
  then.fingerprint = other;
  EXPECT_THAT(mismatches(now, then), ElementsAre(Mismatch{"device.gpu.1.name", "NVIDIA H200", "NVIDIA H20"}));
  EXPECT_THAT(noted_differences(now, then),
              ElementsAre(Mismatch{"settings.gpu.1.power_limit_watt", "702", "400"}));
  EXPECT_EQ(mismatches(std::vector{now, now}, std::vector{then}), mismatches(now, then));
}

TEST(Card, ThatOneRunDoesNotNameIsOfNoneOfThem) {
  result::Run named, unnamed;
  named.device = "GPU-2";
  unnamed.device = "GPU-9";
  named.fingerprint = unnamed.fingerprint = four;
  EXPECT_THAT(mismatches(std::vector{named}, std::vector{named, unnamed}), IsEmpty());
  EXPECT_THAT(mismatches(named, unnamed), IsEmpty());
}

TEST(Card, OfTheHostAndOfLinksIsNoSingleOne) {
  for (const char* device : {"host", "links", ""}) {
    const auto [now, then] = about_cards(three, device, four, device);
    EXPECT_EQ(now, three);
    EXPECT_EQ(then, four);
    EXPECT_EQ(about_card(four, device, "0"), four);
  }
  // Nor one that a side does not name.
  EXPECT_EQ(about_cards(three, "GPU-2", four, "GPU-9").second, four);
}

TEST(Card, ThatIsGoneIsNamed) {
  EXPECT_THAT(cards_gone(three, four), ElementsAre("GPU-1"));
  EXPECT_THAT(cards_gone(four, three), IsEmpty());
  result::Fingerprint elsewhere = three;
  elsewhere.device[std::string(host_identity_fact)] = "b";
  result::Fingerprint here = four;
  here.device[std::string(host_identity_fact)] = "a";
  EXPECT_THAT(cards_gone(elsewhere, here), IsEmpty()) << "a baseline of another host";
}

}  // namespace
}  // namespace gpugauge::baseline
