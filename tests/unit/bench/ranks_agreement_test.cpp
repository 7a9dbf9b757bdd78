// What ranks must have in common, and how a difference is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/ranks/agreement.hpp"

namespace gpugauge::bench::ranks {
namespace {

using testing::HasSubstr;

TEST(Agreement, says_nothing_when_all_agree_or_are_unknown) {
  EXPECT_FALSE(disagreement(
      {{{"nccl", "2.28.9"}, {"driver", "unknown"}}, {{"nccl", "2.28.9"}, {"driver", "580.65"}}}));
}

TEST(Agreement, names_versions_ranks_and_machines) {
  const RankFacts ranks{{{"host", "n1"}, {"nccl", "2.28.9"}},
                        {{"host", "n1"}, {"nccl", "2.28.9"}},
                        {{"host", "n2"}, {"nccl", "2.27.3"}},
                        {{"host", "n1"}, {"nccl", "2.28.9"}}};
  EXPECT_EQ(disagreement(ranks),
            "NCCL differs between ranks: 2.27.3 on rank 2 (n2), 2.28.9 on ranks 0-1, 3 (n1). Load the same "
            "NCCL on all "
            "nodes: ranks of different versions can hang.");
}

TEST(Agreement, compares_each_of_the_facts) {
  for (const char* key :
       {"suite", "source_hash", "driver", "cuda.driver", "cuda.runtime", "nccl", "nccl.plugin", "nccl.tuner",
        "nccl.environment", "setting.NCCL_ALGO", "node_setting.NCCL_SHM_DISABLE"})
    EXPECT_TRUE(disagreement({{{key, "1"}}, {{key, "2"}}})) << key;
  EXPECT_FALSE(disagreement({{{"host", "1"}}, {{"host", "2"}}}));
}

TEST(Agreement, a_setting_that_one_rank_has_alone_is_named_with_its_file) {
  const RankFacts ranks{
      {{"host", "n1"}},
      {{"host", "n1"}},
      {{"host", "n2"}, {"setting.NCCL_ALGO", "ring"}, {"from.NCCL_ALGO", "/etc/nccl.conf"}}};
  EXPECT_EQ(
      disagreement(ranks),
      "NCCL_ALGO differs between ranks: NCCL_ALGO=ring by /etc/nccl.conf on rank 2 (n2), not set on "
      "ranks 0-1 (n1). Set it alike, or nowhere, in the environment (mpirun hands it on with -x) and in "
      "NCCL's configuration files: ranks that choose differently wait for each other for ever.");
}

TEST(Agreement, the_first_setting_that_differs_is_told_in_full_and_the_others_by_name) {
  EXPECT_THAT(disagreement({{{"setting.A", "1"}, {"setting.B", "1"}, {"setting.C", "1"}, {"setting.D", "1"}},
                            {{"setting.A", "1"}, {"setting.B", "2"}, {"setting.D", "3"}}})
                  .value_or(""),
              testing::StartsWith("B differs between ranks: B=1 on rank 0, B=2 on rank 1; so does C, D. Set "
                                  "them alike"));
}

TEST(Agreement, a_setting_may_come_from_a_file_here_and_the_environment_there) {
  EXPECT_FALSE(disagreement({{{"setting.NCCL_ALGO", "ring"}, {"from.NCCL_ALGO", "/etc/nccl.conf"}},
                             {{"setting.NCCL_ALGO", "ring"}}}));
}

TEST(Agreement, what_ranks_of_a_node_must_share_may_differ_between_nodes) {
  RankFacts ranks{{{"host", "n1"}, {"node_setting.NCCL_SHM_DISABLE", "1"}},
                  {{"host", "n1"}, {"node_setting.NCCL_SHM_DISABLE", "1"}},
                  {{"host", "n2"}},
                  {{"host", "n2"}}};
  EXPECT_FALSE(disagreement(ranks));
  ranks[3]["node_setting.NCCL_SHM_DISABLE"] = "1";
  EXPECT_THAT(
      disagreement(ranks).value_or(""),
      HasSubstr("NCCL_SHM_DISABLE differs between ranks of one node: NCCL_SHM_DISABLE=1 on rank 3 (n2), "
                "not set on rank 2 (n2)."));
}

TEST(Agreement, says_what_to_do_about_a_tuner_plugin) {
  EXPECT_EQ(disagreement({{{"host", "n1"}, {"nccl.tuner", "none"}},
                          {{"host", "n2"}, {"nccl.tuner", "libnccl-tuner.so, 10 bytes, interface v4"}}}),
            "NCCL's tuner plugin differs between ranks: libnccl-tuner.so, 10 bytes, interface v4 on rank 1 "
            "(n2), none on rank 0 (n1). Install the same plugin on all nodes, or none, and set "
            "NCCL_TUNER_PLUGIN alike: ranks that choose different algorithms wait for each other for ever.");
}

TEST(Agreement, says_what_to_do_about_an_environment_plugin) {
  EXPECT_EQ(
      disagreement({{{"host", "n1"}, {"nccl.environment", "none"}},
                    {{"host", "n2"}, {"nccl.environment", "libnccl-env.so, 10 bytes, interface v1"}}}),
      "NCCL's environment plugin differs between ranks: libnccl-env.so, 10 bytes, interface v1 on rank 1 "
      "(n2), none on rank 0 (n1). Install the same plugin on all nodes, or none, and set NCCL_ENV_PLUGIN "
      "alike: NCCL reads all its variables through it, and ranks that choose differently wait for each "
      "other for ever.");
}

TEST(Agreement, a_rank_that_cannot_take_part_comes_first) {
  EXPECT_EQ(disagreement({{{"nccl", "1"}}, {{"nccl", "2"}, {"host", "n2"}, {"error", "no GPU."}}}),
            "rank 1 (n2) cannot take part: no GPU.");
}

TEST(Agreement, one_gpu_for_two_ranks_is_named) {
  EXPECT_THAT(disagreement({{{"gpu.uuid", "GPU-1"}}, {{"gpu.uuid", "GPU-1"}}}).value_or(""),
              HasSubstr("ranks 0-1 were given one GPU, GPU-1"));
}

}  // namespace
}  // namespace gpugauge::bench::ranks
