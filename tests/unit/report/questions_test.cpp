// What the answers about a file say.
#include "report/questions.hpp"

#include <gmock/gmock.h>

namespace gpugauge::report {
namespace {
namespace questions {

TEST(Questions, CodeOfAFileThatIsStillToBeLinkedIsCalledSo) {
  BinaryAnswers binary;
  binary.report.path = "kernels.o";
  binary.report.kind = stack::BinaryKind::object;
  binary.report.codes.sets[{stack::GpuCode{.architecture = 90}}] = 1;
  EXPECT_THAT(draw(binary, {}), testing::HasSubstr("GPU code      sm_90\n"));
  binary.report.relocatable = true;
  EXPECT_THAT(draw(binary, {}), testing::HasSubstr("GPU code      sm_90; still to be linked\n"));
}

}  // namespace questions
}  // namespace
}  // namespace gpugauge::report
