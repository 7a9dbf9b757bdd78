// What the loader says of a library that it does not find, and where that library comes from.
#include "stack/missing_library.hpp"

#include <gmock/gmock.h>

namespace gpugauge::stack {
namespace {

TEST(MissingLibrary, IsNamedByTheLoader) {
  EXPECT_EQ(missing_library("gpugauge-bench-cudnn ended with exit code 127 when asked to describe itself; it "
                            "said: /x/gpugauge-bench-cudnn: error while loading shared libraries: "
                            "libcudnn.so.9: cannot open shared object file: No such file or directory"),
            "libcudnn.so.9");
  EXPECT_EQ(missing_library("x: error while loading shared libraries: libcudnn.so.9: file too short"), "");
  EXPECT_EQ(missing_library("x: error while loading shared libraries: a b: cannot open shared object file"),
            "");
  EXPECT_EQ(missing_library("it ended with exit code 127"), "");
  EXPECT_EQ(missing_library(""), "");
}

TEST(MissingLibrary, ComesFromThePackageOfTheBuildsCuda) {
  EXPECT_EQ(how_to_get("libcudnn.so.9", "13.0.88"),
            "install cuDNN (NVIDIA's package libcudnn9-cuda-13), or add the folder that holds libcudnn.so.9 "
            "to LD_LIBRARY_PATH");
  EXPECT_THAT(how_to_get("libcublasLt.so.12", "12.9.1"),
              testing::HasSubstr("(NVIDIA's package libcublas-12-9)"));
  EXPECT_THAT(how_to_get("libnccl.so.2", "13.0"), testing::HasSubstr("libnccl2 for Debian and Ubuntu"));
  EXPECT_EQ(how_to_get("libfoo.so.1", "13.0"),
            "install it, or add the folder that holds libfoo.so.1 to LD_LIBRARY_PATH");
  EXPECT_EQ(how_to_get("libcudnn.so.9", ""),
            "install it, or add the folder that holds libcudnn.so.9 to LD_LIBRARY_PATH");
}

}  // namespace
}  // namespace gpugauge::stack
