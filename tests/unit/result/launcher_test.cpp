#include "result/launcher.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {

using testing::HasSubstr;

Lookup variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

std::optional<int> slurm_local_size(const std::string& tasks, const std::string& node) {
  return find_rank(variables({{"SLURM_PROCID", "5"},
                              {"SLURM_STEP_NUM_TASKS", "16"},
                              {"SLURM_LOCALID", "1"},
                              {"SLURM_STEP_TASKS_PER_NODE", tasks},
                              {"SLURM_NODEID", node}}))
      ->local_size;
}

TEST(Launcher, nobody_started_a_process_without_variables) {
  EXPECT_FALSE(find_rank(variables({})));
  EXPECT_FALSE(find_rank(variables({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "1"}})));
}

TEST(Launcher, the_only_rank_is_a_rank_but_not_one_of_several) {
  const Lookup one = variables({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}});
  ASSERT_TRUE(find_rank(one));
  EXPECT_EQ(find_rank(one)->size, 1);
  EXPECT_FALSE(find_rank_of_several(one));
}

TEST(Launcher, reads_each_launcher) {
  const auto open_mpi = find_rank(variables({{"OMPI_COMM_WORLD_RANK", "3"},
                                             {"OMPI_COMM_WORLD_SIZE", "4"},
                                             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}));
  EXPECT_EQ(open_mpi->rank, 3);
  EXPECT_EQ(open_mpi->local_rank, 1);
  EXPECT_EQ(open_mpi->local_size, 2);
  EXPECT_EQ(open_mpi->launcher, "Open MPI");
  const auto hydra = find_rank(
      variables({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}}));
  EXPECT_EQ(hydra->launcher, "Hydra");
  EXPECT_EQ(hydra->local_size, 2);
  EXPECT_EQ(find_rank(variables({{"RANK", "1"}, {"WORLD_SIZE", "2"}}))->launcher, "torchrun");
  EXPECT_EQ(find_rank(variables({{"RANK", "1"}, {"WORLD_SIZE", "2"}}))->local_size, std::nullopt);
}

TEST(Launcher, what_is_said_by_hand_comes_first) {
  const auto rank = find_rank(variables({{"GPUGAUGE_RANK", "1"},
                                         {"GPUGAUGE_RANKS", "2"},
                                         {"GPUGAUGE_LOCAL_RANKS", "2"},
                                         {"OMPI_COMM_WORLD_RANK", "0"},
                                         {"OMPI_COMM_WORLD_SIZE", "4"}}));
  EXPECT_EQ(rank->rank, 1);
  EXPECT_EQ(rank->local_size, 2);
}

TEST(Launcher, slurm_tells_the_tasks_of_every_node) {
  EXPECT_EQ(slurm_local_size("8(x2)", "0"), 8);
  EXPECT_EQ(slurm_local_size("8(x2)", "1"), 8);
  EXPECT_EQ(slurm_local_size("2(x3),1", "2"), 2);
  EXPECT_EQ(slurm_local_size("2(x3),1", "3"), 1);
  EXPECT_EQ(slurm_local_size("4", "0"), 4);
  EXPECT_EQ(slurm_local_size("4", "1"), std::nullopt);
  for (const char* text : {"", "x", "2(x", "2(x3", "2(y3)", "2,", "0", "-1", "2(x0)", "2;1"})
    EXPECT_EQ(slurm_local_size(text, "1"), std::nullopt) << text;
}

TEST(Launcher, refuses_numbers_that_make_no_sense) {
  for (const auto& [rank, size] :
       std::map<std::string, std::string>{{"4", "4"}, {"x", "4"}, {"-1", "4"}, {"0", "0"}})
    EXPECT_THROW(find_rank(variables({{"GPUGAUGE_RANK", rank}, {"GPUGAUGE_RANKS", size}})), UsageError)
        << rank << " of " << size;
}

TEST(Launcher, a_host_name_becomes_a_word_that_stays_in_its_folder) {
  EXPECT_EQ(host_word("node-7.cluster_a"), "node-7.cluster_a");
  EXPECT_EQ(host_word("../etc"), "_.._etc");
  EXPECT_EQ(host_word("a/b c\n"), "a_b_c_");
  EXPECT_EQ(host_word(""), "_");
  EXPECT_EQ(host_word("."), "_.");
  EXPECT_EQ(host_word(), host_word(host_name()));
}

TEST(Launcher, only_one_of_several_adds_to_a_file_s_name) {
  Rank rank;
  EXPECT_EQ(with_rank("a/run.json", "node7", std::nullopt), "a/run.json");
  EXPECT_EQ(with_rank("a/run.json", "node7", rank), "a/run.json");
  rank.rank = 3;
  rank.size = 4;
  EXPECT_EQ(with_rank("a/run.json", "node7", rank), "a/run.node7.rank3.json");
  EXPECT_EQ(with_rank("run", "n", rank), "run.n.rank3");
  EXPECT_EQ(with_rank("/dev/null", "n", rank), "/dev/null");  // no file: a name beside it would be one
  EXPECT_EQ(with_rank("a.b/run.tar.gz", "n", rank), "a.b/run.tar.n.rank3.gz");
}

}  // namespace
}  // namespace gpugauge::result
