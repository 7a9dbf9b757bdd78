// What is said of a cause: the pages of docs/findings, names that are near, and that both sides are joined.
#include "report/explain.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "diagnose/pattern.hpp"
#include "result/file.hpp"
#include "stack/rules/causes.hpp"

namespace gpugauge::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::filesystem::path folder = std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "docs" / "findings";

/// The page is what the data say; written with GPUGAUGE_WRITE_DOCS.
void expect_page(const std::filesystem::path& page, const std::string& expected) {
  if (std::getenv("GPUGAUGE_WRITE_DOCS") != nullptr) result::write_file(page, expected);
  ASSERT_TRUE(std::filesystem::exists(page))
      << page << " is missing; run this test with GPUGAUGE_WRITE_DOCS=1 to write it";
  EXPECT_TRUE(result::read_file(page) == expected)
      << page << " is not what the data say; run this test with GPUGAUGE_WRITE_DOCS=1 to write it again";
}

TEST(CausePages, AreWhatTheDataSayAndThereAreNoOthers) {
  std::set<std::string> written{"README.md"};
  expect_page(folder / "README.md", index_markdown(all_pages()));
  for (const CausePage& page : all_pages()) {
    written.insert(page.name + ".md");
    expect_page(folder / (page.name + ".md"), to_markdown(page));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_TRUE(written.contains(entry.path().filename().string())) << entry.path() << " is of no cause";
}

TEST(CausePages, JoinWhatTheDoctorAndTheDiagnosisKnowUnderOneName) {
  const auto both = find_page("umd_kmd_mismatch");
  ASSERT_TRUE(both);
  EXPECT_NE(both->signature, nullptr);
  EXPECT_NE(both->row, nullptr);
  const auto doctor = find_page("driver_branch_ended");
  ASSERT_TRUE(doctor);
  EXPECT_EQ(doctor->signature, nullptr);
  const auto measured = find_page("cudnn_heuristic_regression");
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->row, nullptr);
  EXPECT_FALSE(find_page("cudnn_heuristic"));
}

TEST(CausePages, HaveEveryCauseOfTheDoctorOnce) {
  std::set<std::string> names;
  for (const CausePage& page : all_pages()) EXPECT_TRUE(names.insert(page.name).second) << page.name;
  for (const std::string_view cause : stack::cause_names)
    EXPECT_TRUE(names.contains(std::string(cause))) << cause;
}

TEST(CausePages, SayWhatMovesWhatProvesAndWhatSeparates) {
  const std::string text = draw(*find_page("pcie_link_degraded"), {});
  EXPECT_THAT(text, HasSubstr("more than twice as slow"));
  EXPECT_THAT(text, HasSubstr("numa_misplacement? Ask:"));
  EXPECT_THAT(text, HasSubstr("nvidia-smi"));
  EXPECT_THAT(text, HasSubstr("doctor"));
  EXPECT_THAT(draw(*find_page("driver_branch_ended"), {}), HasSubstr("end of life"));
}

TEST(CausePages, AreOfferedForANameThatIsNear) {
  EXPECT_THAT(near_names("sw_power_kap"), Contains("sw_power_cap"));
  EXPECT_THAT(near_names("nvlink"), Contains("nvlink_partial"));
  EXPECT_THAT(near_names("zzzzzzzzzzzz"), IsEmpty());
}

TEST(CauseRows, AreReadFromTheTablesOnly) {
  const auto rows = stack::parse_cause_rows(
      "# Page\n| cause | severity |\n## Chapter\n| `a_cause` | note | when `x` | do |\ntext `b`\n| `short` | "
      "note |\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "a_cause");
  EXPECT_EQ(rows[0].chapter, "Chapter");
  EXPECT_EQ(rows[0].when, "when `x`");
}

TEST(Signatures, AreWholeAndConfusedOnlyWithWhatExists) {
  std::set<std::string_view> names;
  for (const diagnose::Signature& signature : diagnose::catalogue()) {
    EXPECT_TRUE(names.insert(signature.name).second) << signature.name << " is there twice";
    EXPECT_NE(signature.examine, nullptr) << signature.name;
    EXPECT_FALSE(signature.title.empty() || signature.title.size() > 100) << signature.name;
    EXPECT_THAT(std::string(signature.title), Not(testing::EndsWith("."))) << signature.name;
    EXPECT_FALSE(signature.what.empty() || signature.confirms.empty() || signature.excludes.empty() ||
                 signature.next.empty() || signature.reading.empty())
        << signature.name;
    EXPECT_NO_THROW(diagnose::parse_moves(signature.moves)) << signature.name;
    for (const diagnose::Confusion& confusion : signature.confused_with) {
      EXPECT_NE(diagnose::find_signature(confusion.with), nullptr)
          << signature.name << ": " << confusion.with;
      EXPECT_NE(confusion.with, signature.name);
      EXPECT_TRUE(confusion.question.ends_with("?")) << signature.name << ": " << confusion.question;
    }
  }
}

}  // namespace
}  // namespace gpugauge::report
