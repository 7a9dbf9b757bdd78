// What a launcher's variables say of a rank.
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"
#include "support/ranks/launch.hpp"

namespace gpugauge::bench::ranks {
namespace {

using testing::HasSubstr;

Lookup variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string refusal(const Lookup& lookup) {
  try {
    find_launch(lookup);
  } catch (const result::UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Launch, a_process_without_a_launcher_stands_alone) {
  EXPECT_FALSE(find_launch(variables({})));
  EXPECT_FALSE(find_launch(variables({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}})));
  // A batch script of Slurm is no rank.
  EXPECT_FALSE(find_launch(variables({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "1"}})));
}

TEST(Launch, reads_open_mpi_on_one_machine) {
  const auto launch = find_launch(variables({{"OMPI_COMM_WORLD_RANK", "3"},
                                             {"OMPI_COMM_WORLD_SIZE", "4"},
                                             {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                             {"PMIX_NAMESPACE", "42"}}));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->rank, 3);
  EXPECT_EQ(launch->size, 4);
  EXPECT_EQ(launch->local_rank, 3);
  EXPECT_EQ(launch->host, "127.0.0.1");
  EXPECT_EQ(launch->port, port_of("42"));
  EXPECT_EQ(launch->job, "42");
}

TEST(Launch, over_several_nodes_open_mpi_needs_a_place) {
  std::map<std::string, std::string> values{{"OMPI_COMM_WORLD_RANK", "3"},
                                            {"OMPI_COMM_WORLD_SIZE", "4"},
                                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                            {"PMIX_NAMESPACE", "42"}};
  EXPECT_THAT(refusal(variables(values)), HasSubstr("set GPUGAUGE_RENDEZVOUS=HOST:PORT"));
  values["GPUGAUGE_RENDEZVOUS"] = "node1:2345";
  const auto launch = find_launch(variables(values));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->host, "node1");
  EXPECT_EQ(launch->port, 2345);
}

// Two jobs on one machine would be one.
TEST(Launch, ranks_of_a_job_without_a_name_need_a_place_also_on_one_machine) {
  const std::map<std::string, std::string> hydra{
      {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}};
  const std::map<std::string, std::string> by_hand{
      {"GPUGAUGE_RANK", "0"}, {"GPUGAUGE_RANKS", "2"}, {"GPUGAUGE_LOCAL_RANKS", "2"}};
  for (auto values : {hydra, by_hand}) {
    EXPECT_THAT(refusal(variables(values)), HasSubstr("set GPUGAUGE_RENDEZVOUS=HOST:PORT"));
    values["GPUGAUGE_RENDEZVOUS"] = "localhost:29555";
    EXPECT_EQ(find_launch(variables(values))->host, "localhost");
  }
}

TEST(Launch, reads_a_step_of_slurm) {
  const auto launch = find_launch(variables({{"SLURM_PROCID", "5"},
                                             {"SLURM_STEP_NUM_TASKS", "16"},
                                             {"SLURM_LOCALID", "1"},
                                             {"SLURM_JOB_ID", "77"},
                                             {"SLURM_STEP_ID", "0"},
                                             {"SLURM_STEP_NODELIST", "gpu[03-06,9]"}}));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->rank, 5);
  EXPECT_EQ(launch->local_rank, 1);
  EXPECT_EQ(launch->host, "gpu03");
  EXPECT_EQ(launch->port, port_of("77.0"));
}

TEST(Launch, a_number_on_its_machine_that_nobody_told_is_unknown) {
  const auto launch =
      find_launch(variables({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"GPUGAUGE_RENDEZVOUS", "n1:2345"}}));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->local_rank, std::nullopt);
}

TEST(Launch, an_empty_master_address_is_none) {
  std::map<std::string, std::string> values{{"RANK", "0"},       {"WORLD_SIZE", "2"},
                                            {"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "1"},
                                            {"MASTER_ADDR", ""}, {"MASTER_PORT", "29500"}};
  EXPECT_THAT(refusal(variables(values)), HasSubstr("do not know where to meet"));
  values["MASTER_ADDR"] = "node1";
  const auto launch = find_launch(variables(values));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->host, "node1");
}

TEST(Launch, refuses_numbers_that_make_no_sense) {
  EXPECT_THAT(refusal(variables({{"GPUGAUGE_RANK", "4"}, {"GPUGAUGE_RANKS", "4"}})),
              HasSubstr("numbered from 0"));
  EXPECT_THAT(refusal(variables({{"GPUGAUGE_RANK", "x"}, {"GPUGAUGE_RANKS", "4"}})),
              HasSubstr("GPUGAUGE_RANK=x"));
  EXPECT_THAT(
      refusal(variables({{"GPUGAUGE_RANK", "0"}, {"GPUGAUGE_RANKS", "2"}, {"GPUGAUGE_RENDEZVOUS", "5"}})),
      HasSubstr("give HOST:PORT"));
  EXPECT_THAT(refusal(variables(
                  {{"GPUGAUGE_RANK", "0"}, {"GPUGAUGE_RANKS", "2"}, {"GPUGAUGE_RENDEZVOUS", "a:70000"}})),
              HasSubstr("70000"));
}

TEST(Launch, finds_the_first_host_of_a_list) {
  EXPECT_EQ(first_host("node1"), "node1");
  EXPECT_EQ(first_host("node1,node2"), "node1");
  EXPECT_EQ(first_host("node[003-007,9],x1"), "node003");
  EXPECT_EQ(first_host("a1,node[003-007]"), "a1");
  EXPECT_EQ(first_host("node[7]-ib,b"), "node7-ib");
  EXPECT_EQ(first_host(""), "");
  EXPECT_EQ(first_host("node["), "");
}

TEST(Launch, ports_are_the_same_everywhere_and_free_for_users) {
  EXPECT_EQ(port_of("77.0"), port_of("77.0"));
  EXPECT_NE(port_of("77.0"), port_of("77.1"));
  for (const char* job : {"", "1", "prterun-node-1@1", "77.0"}) {
    EXPECT_GE(port_of(job), 20'000);
    EXPECT_LT(port_of(job), 30'000);
  }
}

}  // namespace
}  // namespace gpugauge::bench::ranks
