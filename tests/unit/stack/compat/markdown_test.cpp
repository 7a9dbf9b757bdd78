#include "stack/compat/markdown.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/file.hpp"

namespace gpugauge::stack {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::filesystem::path page = std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "docs" / "compatibility.md";

TEST(CompatibilityPage, IsWhatTheTablesSay) {
  const std::string expected = compatibility_markdown(tables());
  if (std::getenv("GPUGAUGE_WRITE_DOCS") != nullptr) result::write_file(page, expected);
  // Not EXPECT_EQ: the difference of two long pages is no message.
  EXPECT_TRUE(result::read_file(page) == expected)
      << page << " is not what the tables say; run this test with GPUGAUGE_WRITE_DOCS=1 to write it again";
}

TEST(CompatibilityPage, NumbersTheSourcesOfAChapterAndMarksWhatNobodyRead) {
  Tables tables;
  tables.minimum_drivers = {{13, *Version::parse("580"), {"first page", true}},
                            {12, *Version::parse("525.60.13"), {"a guess", false}},
                            {11, *Version::parse("450.80.02"), {"first page", true}}};
  const std::string text = compatibility_markdown(tables);
  EXPECT_THAT(text,
              HasSubstr("| 13.x | 580 | 1 |\n| 12.x | 525.60.13 | 2, unsure |\n| 11.x | 450.80.02 | 1 |\n"));
  EXPECT_THAT(text, HasSubstr("\nSources:\n\n1. first page\n2. a guess\n"));
  EXPECT_THAT(text, HasSubstr("- What the rows marked unsure say; there are 1."));
}

TEST(CompatibilityPage, KeepsACellWithinItsCell) {
  Tables tables;
  tables.rules = {{"images", "a|b <name> ls *\nend.", {"source", true}}};
  EXPECT_THAT(compatibility_markdown(tables), HasSubstr("| images | a\\|b &lt;name> ls \\* end. | 1 |\n"));
}

TEST(CompatibilityPage, SaysOnceWhatSeveralReleasesShare) {
  const auto build = [](const char* release, const char* cuda) {
    return FrameworkBuild{
        "jax", *Version::parse(release), {*Version::parse(cuda)}, {}, {}, "3.10+", {}, "", {"tags", true}};
  };
  Tables tables;
  tables.frameworks = {build("0.7.1", "12.9"), build("0.6.2", "12.8"), build("0.6.1", "12.8"),
                       build("0.6.0", "12.8")};
  EXPECT_THAT(compatibility_markdown(tables),
              HasSubstr("| jax | 0.7.1 | 12.9 |  |  | 3.10+ |  |  | 1 |\n"
                        "| jax | 0.6.0 to 0.6.2 | 12.8 |  |  | 3.10+ |  |  | 1 |\n"
                        "\nSources:\n"));
  for (FrameworkBuild& row : tables.frameworks) {
    row.wheels = {{row.cuda.front(), Version::parse("9.8"), {}, {}}};
    row.cudnn_is = CudnnFigure::least;
  }
  tables.frameworks[3].wheels.front().cudnn = Version::parse("9.1");
  EXPECT_THAT(compatibility_markdown(tables),
              HasSubstr("| jax | 0.7.1 | 12.9 | 9.8+ |  | 3.10+ |  |  | 1 |\n"
                        "| jax | 0.6.1 to 0.6.2 | 12.8 | 9.8+ |  | 3.10+ |  |  | 1 |\n"
                        "| jax | 0.6.0 | 12.8 | 9.1+ |  | 3.10+ |  |  | 1 |\n"));
  tables.frameworks = {build("0.7.1", "12.9")};
  tables.frameworks[0].cudnn = Version::parse("8.9");
  tables.frameworks[0].cudnn_is = CudnnFigure::optional;
  EXPECT_THAT(compatibility_markdown(tables), HasSubstr("| jax | 0.7.1 | 12.9 | 8.9 (optional) |"));
}

TEST(CompatibilityPage, SaysOnceWhatTwoInterfacesShare) {
  Tables tables;
  tables.error_codes = {{"runtime", 802, "cudaErrorX", "Not ready.", {"one", "two"}, {"wait"}, {"s", true}},
                        {"driver", 802, "CUDA_ERROR_X", "Not ready.", {"one", "two"}, {"wait"}, {"s", true}},
                        {"nvml", 4, "NVML_ERROR_Y", "", {}, {}, {"header", true}}};
  const std::string text = compatibility_markdown(tables);
  EXPECT_THAT(text,
              HasSubstr("| 802 | cudaErrorX, CUDA_ERROR_X | Not ready. | (1) one (2) two | wait | 1 |\n"));
  EXPECT_THAT(text, Not(HasSubstr("| 802 | CUDA_ERROR_X |")));
  EXPECT_THAT(text, HasSubstr("| 4 |  |  | NVML_ERROR_Y |\n"));
}

}  // namespace
}  // namespace gpugauge::stack
