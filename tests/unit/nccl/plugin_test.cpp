#include "nccl/plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::bench::nccl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

/// libnccl-net-tested.so has interfaces 6 and 8 of a network plugin and 4 of a tuner; libnccl-tuner-tested.so
/// has 2 and 3 of a tuner; libnccl-env-tested.so has 1 of an environment; libnccl-net-plain.so has none.
const std::string folder = GPUGAUGE_FAKE_PLUGINS;

Configuration asked(const std::map<std::string, std::string>& environment, int nccl_version = 23007) {
  return {[environment](const char* name) -> std::optional<std::string> {
            const auto found = environment.find(name);
            return found == environment.end() ? std::nullopt : std::optional(found->second);
          },
          {},
          nccl_version};
}

TEST(Plugin, is_looked_for_under_the_names_that_nccl_tries) {
  EXPECT_THAT(plugin_names("net", ""), ElementsAre("libnccl-net.so"));
  EXPECT_THAT(plugin_names("tuner", ""), ElementsAre("libnccl-tuner.so"));
  EXPECT_THAT(plugin_names("env", ""), ElementsAre("libnccl-env.so"));
  EXPECT_THAT(plugin_names("env", "site"), ElementsAre("site", "libnccl-env-site.so"));
  EXPECT_THAT(plugin_names("net", "ofi"), ElementsAre("ofi", "libnccl-net-ofi.so"));
  EXPECT_THAT(plugin_names("tuner", "my.so"), ElementsAre("my.so", "libnccl-tuner-my.so.so"));
  EXPECT_THAT(plugin_names("net", "libnccl-net-ofi.so"), ElementsAre("libnccl-net-ofi.so"));
  EXPECT_THAT(plugin_names("net", "/opt/plugin"), ElementsAre("/opt/plugin"));
  EXPECT_THAT(plugin_names("net", "./plugin.so"), ElementsAre("./plugin.so"));
  EXPECT_THAT(plugin_names("net", "none"), IsEmpty());
  EXPECT_THAT(plugin_names("tuner", "NONE"), IsEmpty());
}

TEST(Plugin, of_the_network_is_named_with_its_size_and_newest_interface) {
  EXPECT_THAT(network_plugin(asked({{"NCCL_NET_PLUGIN", folder + "/libnccl-net-tested.so"}})),
              MatchesRegex("libnccl-net-tested\\.so, [0-9]+ bytes, interface v8"));
  EXPECT_EQ(network_plugin(asked({{"NCCL_NET_PLUGIN", folder + "/libnccl-net-plain.so"}})),
            folder + "/libnccl-net-plain.so without an interface that is known");
  EXPECT_EQ(network_plugin(asked({{"NCCL_NET_PLUGIN", folder + "/no-such.so"}})), "none");
  EXPECT_EQ(network_plugin(asked({{"NCCL_NET_PLUGIN", "None"}})), "none");
}

TEST(Plugin, a_list_has_several) {
  const std::string list =
      folder + "/no-such.so," + folder + "/libnccl-net-tested.so," + folder + "/libnccl-net-plain.so";
  EXPECT_THAT(network_plugin(asked({{"NCCL_NET_PLUGIN", list}})),
              MatchesRegex("libnccl-net-tested\\.so, .* v8; .*libnccl-net-plain\\.so without .*"));
}

TEST(Plugin, of_the_tuner_is_named_in_the_same_form) {
  EXPECT_THAT(tuner_plugin(asked({{"NCCL_TUNER_PLUGIN", folder + "/libnccl-tuner-tested.so"}})),
              MatchesRegex("libnccl-tuner-tested\\.so, [0-9]+ bytes, interface v3"));
}

// As that of AWS has it.
TEST(Plugin, of_the_tuner_may_stand_in_that_of_the_network) {
  const std::string network = folder + "/libnccl-net-tested.so";
  EXPECT_THAT(tuner_plugin(asked({{"NCCL_NET_PLUGIN", network}})),
              MatchesRegex("libnccl-net-tested\\.so, [0-9]+ bytes, interface v4"));
  EXPECT_EQ(tuner_plugin(asked({{"NCCL_NET_PLUGIN", network}, {"NCCL_TUNER_PLUGIN", "none"}})), "none");
  EXPECT_EQ(tuner_plugin(asked({{"NCCL_NET_PLUGIN", folder + "/libnccl-net-plain.so"}})), "none");
}

TEST(Plugin, of_the_environment_is_named_in_the_same_form_from_the_version_on_that_knows_it) {
  const std::string file = folder + "/libnccl-env-tested.so";
  EXPECT_THAT(environment_plugin(asked({{"NCCL_ENV_PLUGIN", file}})),
              MatchesRegex("libnccl-env-tested\\.so, [0-9]+ bytes, interface v1"));
  EXPECT_EQ(environment_plugin(asked({{"NCCL_ENV_PLUGIN", file}}, 22807)),
            environment_plugin(asked({{"NCCL_ENV_PLUGIN", file}})));
  EXPECT_EQ(environment_plugin(asked({{"NCCL_ENV_PLUGIN", file}}, 22803)), "none");
  EXPECT_EQ(environment_plugin(asked({{"NCCL_ENV_PLUGIN", "None"}})), "none");
  EXPECT_EQ(environment_plugin(asked({{"NCCL_ENV_PLUGIN", folder + "/no-such.so"}})), "none");
  EXPECT_EQ(environment_plugin(asked({})), "none");
}

}  // namespace
}  // namespace gpugauge::bench::nccl
