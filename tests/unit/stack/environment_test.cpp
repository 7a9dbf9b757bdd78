// Search paths that lead into the working folder.
#include "stack/environment.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RelativeEntries, AreTheEmptyOnesAndThoseWithoutASlashInFront) {
  EXPECT_THAT(relative_entries(""), IsEmpty()) << "set to nothing is as good as not set";
  EXPECT_THAT(relative_entries("/a:/b;/c"), IsEmpty());
  EXPECT_THAT(relative_entries("/a:"), ElementsAre(""));
  EXPECT_THAT(relative_entries(":/a"), ElementsAre(""));
  EXPECT_THAT(relative_entries(":"), ElementsAre("", ""));
  EXPECT_THAT(relative_entries("/a::/b"), ElementsAre(""));
  EXPECT_THAT(relative_entries("/a;;.:./lib:~/lib"), ElementsAre("", ".", "./lib", "~/lib"));
  EXPECT_THAT(relative_entries("$ORIGIN/../lib:${ORIGIN}:$LIB/x"), ElementsAre("$LIB/x"));
  EXPECT_THAT(relative_entries("/a;b", ":"), IsEmpty()) << "a semicolon in a name of Python's list";
}

class PythonPath : public ::testing::Test {
 protected:
  PythonPath() : before_(value_of(current_environment(), name)) {}
  ~PythonPath() override { before_ ? ::setenv(name, before_->c_str(), 1) : ::unsetenv(name); }

  /// What is left of a value; nullopt where the variable is gone.
  static std::optional<std::string> left_of(const char* value, bool changes) {
    ::setenv(name, value, 1);
    EXPECT_EQ(drop_relative_python_path(), changes) << value;
    return value_of(current_environment(), name);
  }

 private:
  static constexpr const char* name = "PYTHONPATH";
  std::optional<std::string> before_;
};

TEST_F(PythonPath, KeepsWhatIsWrittenInFull) {
  EXPECT_EQ(left_of("/a:/b c", false), "/a:/b c");
  EXPECT_EQ(left_of("", false), "");
  EXPECT_EQ(left_of("/a::lib:/b:", true), "/a:/b");
  EXPECT_EQ(left_of(".", true), std::nullopt);
  EXPECT_EQ(left_of(":", true), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::stack
