// Variables taken away, processors confined, and what /proc/stat says of idle ones.
#include "run/surroundings.hpp"

#include <cstdlib>
#include <system_error>

#include <gmock/gmock.h>

#include "fake_family.hpp"

namespace gpugauge::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Processors, IdleSharesAreOfTheTimeBetween) {
  const char* before =
      "cpu  100 0 0 100 0 0 0 0 0 0\ncpu0 50 0 0 50 0 0 0 0\ncpu1 50 0 0 50 0 0 0 0\ncpu2 1 0 0 1 0 0 0 0\n";
  const char* after =
      "cpu  200 0 0 200 0 0 0 0 0 0\ncpu0 150 0 0 50 0 0 0 0\ncpu1 52 0 0 140 8 0 0 0\nintr 5\ncpu2 1 0 0 1 "
      "0 0 0 0\n";
  const std::map<int, double> shares = idle_shares(before, after);
  ASSERT_EQ(shares.size(), 2U) << "no time passed for cpu2";
  EXPECT_DOUBLE_EQ(shares.at(0), 0);
  EXPECT_DOUBLE_EQ(shares.at(1), .98);
  EXPECT_THAT(idle_shares("", after), IsEmpty());
  EXPECT_THAT(idle_shares("cpu0 1 2\n", "garbage"), IsEmpty());
  EXPECT_THAT(idle_shares("cpu0 0 0 0 1\n", "cpu0 1e308 1e308 0 1e308 1e308\n"), IsEmpty())
      << "sums that are no numbers make no share";
}

TEST(Processors, AreConfinedAndPutBack) {
  const std::vector<int> before = allowed_processors();
  ASSERT_FALSE(before.empty());
  {
    const Confined confined({before.back()});
    EXPECT_THAT(allowed_processors(), ElementsAre(before.back()));
  }
  EXPECT_EQ(allowed_processors(), before);
  const std::vector<int> not_there{8000};
  EXPECT_THROW(Confined{not_there}, std::system_error);
  EXPECT_EQ(allowed_processors(), before);
}

TEST(Surroundings, OfAPlanReachTheFamily) {
  const Fakes fakes;
  const std::string file = (fakes.path() / "seen").string();
  Plan plan = quick_plan({fakes.family("host",
                                       "{ echo \"${TAKEN-none} $GIVEN\"; grep Cpus_allowed_list "
                                       "/proc/self/status | cut -f2; } >'" +
                                           file + "'; leave")});
  const int last = allowed_processors().back();
  setenv("TAKEN", "here", 1);
  plan.surroundings.set["GIVEN"] = "yes";
  plan.surroundings.unset.emplace_back("TAKEN");
  plan.surroundings.processors.push_back(last);
  const result::Run run = execute(plan, [](const Progress&) {});
  unsetenv("TAKEN");
  ASSERT_EQ(run.processes.at(0).status, result::Status::ok) << run.processes.at(0).reason;
  EXPECT_EQ(read_text(file), "none yes\n" + std::to_string(last) + "\n");
}

}  // namespace
}  // namespace gpugauge::run
