#include "conductor/place.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "result/temporary_directory.hpp"

namespace gpugauge::conductor {
namespace {

result::Rank third_of_four() {
  result::Rank rank;
  rank.rank = 3;
  rank.size = 4;
  return rank;
}

TEST(Place, without_a_wish_a_round_is_kept_by_its_id) {
  EXPECT_EQ(place_of_round("state/runs", "ID", "", "node7", std::nullopt), "state/runs/ID.json");
  EXPECT_EQ(place_of_round("state/runs", "ID", "", "node7", third_of_four()),
            "state/runs/ID.node7.rank3.json");
}

TEST(Place, a_file_is_that_file_except_for_one_of_several_ranks) {
  EXPECT_EQ(place_of_round("runs", "ID", "x/run.json", "node7", std::nullopt), "x/run.json");
  EXPECT_EQ(place_of_round("runs", "ID", "x/run.json", "node7", third_of_four()), "x/run.node7.rank3.json");
}

TEST(Place, in_a_folder_each_host_has_its_own) {
  EXPECT_EQ(place_of_round("runs", "ID", "results/", "node7", std::nullopt), "results/node7/ID.json");
  EXPECT_EQ(place_of_round("runs", "ID", "results/", "node7", third_of_four()),
            "results/node7/ID.rank3.json");
}

TEST(Place, a_folder_is_one_that_is_there_or_ends_with_a_slash) {
  const result::TemporaryDirectory scratch;
  std::ofstream(scratch.path() / "file") << "x";
  EXPECT_TRUE(names_a_folder(scratch.path()));
  EXPECT_TRUE(names_a_folder("not-there/"));
  EXPECT_FALSE(names_a_folder("not-there"));
  EXPECT_FALSE(names_a_folder(scratch.path() / "file"));
  EXPECT_FALSE(names_a_folder(""));
}

}  // namespace
}  // namespace gpugauge::conductor
