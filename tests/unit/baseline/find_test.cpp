// Which folder a name stands for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline/baseline.hpp"
#include "result/error.hpp"
#include "selected.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Find : public Select {};

TEST_F(Find, FindsByNameAndNamesWhatThereIs) {
  const fs::path folder = pin("state/baselines/mine");
  EXPECT_EQ(find("mine"), folder);
  EXPECT_EQ(find(folder.string()), folder);
  try {
    find("yours");
    FAIL() << "found one that is not there";
  } catch (const result::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there are mine"));
  }
}

TEST_F(Find, ANameThatStandsForSeveralIsRefusedAndAFoldersNameComesFirst) {
  const fs::path golden = pin("state/site/golden");
  const fs::path archive = pin("state/site/archive");  // made under the folder's name
  const std::string made_as = load(archive).manifest.name;
  EXPECT_EQ(find("golden"), golden);
  EXPECT_EQ(find("archive"), archive);
  if (made_as != "archive") {
    EXPECT_THROW(find(made_as), result::UsageError);
  }
  pin("state/baselines/golden");
  try {
    find("golden");
    FAIL() << "took one of two";
  } catch (const result::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("several baselines are called 'golden'"));
  }
}

TEST_F(Find, AChangedRunOfTheSameSizeIsSeenByWhoLooksAtContentsAndBringsNoOlderOneIntoForce) {
  const auto as_made = [](result::Run&) {};
  const fs::path older = pin("state/baselines/a", as_made, "2026-01-01T00:00:00Z");
  const fs::path newer = pin("state/baselines/b", as_made, "2026-02-01T00:00:00Z");
  const fs::path run = newer / load_manifest(newer).entries.front().file;
  std::string text = result::read_file(run);
  text.replace(text.find("quick"), 5, "quiet");
  result::write_file(run, text);
  EXPECT_EQ(list().at(1).fault, "");
  const std::vector<Listed> all = list(Verify::contents);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].fault, "");
  EXPECT_TRUE(all[0].superseded);
  EXPECT_THAT(all[1].fault, HasSubstr("was changed since it was pinned (its SHA-256 differs)"));
}

}  // namespace
}  // namespace gpugauge::baseline
