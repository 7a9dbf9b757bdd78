#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/inventory/frameworks.hpp"
#include "unit/stack/fake_tree.hpp"
#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* python = "/usr/bin/python3";

/// Imports a module of this text as if it were torch.
Inventory imported(const std::string& module, double limit_seconds = 60) {
  FakeTree tree;
  tree.file("/torch.py", module);
  const std::optional<std::string> before = value_of(current_environment(), "PYTHONPATH");
  ::setenv("PYTHONPATH", tree.root().c_str(), 1);
  const ChildResult child = run_child({python, "-c", import_script, "torch"}, limit_seconds);
  if (before) ::setenv("PYTHONPATH", before->c_str(), 1);
  if (!before) ::unsetenv("PYTHONPATH");
  Inventory inventory;
  add_import("torch", python, child, limit_seconds, inventory);
  return inventory;
}

class Import : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(python)) GTEST_SKIP() << "there is no " << python;
  }
};

TEST_F(Import, TellsWhatOnlyAnImportTells) {
  const Inventory inventory = imported(R"(
print("noise on the standard output")
__version__ = "2.8.0+cu128"
class version: cuda = "12.8"
class cuda:
    @staticmethod
    def is_available(): return True
    @staticmethod
    def device_count(): return 8
    class nccl:
        @staticmethod
        def version(): return (2, 27, 3)
class backends:
    class cudnn:
        @staticmethod
        def version(): raise RuntimeError("no cuDNN")
import atexit
atexit.register(print, "more noise at the end")
)");
  EXPECT_EQ(inventory.value("framework.torch.import.outcome"), "ok");
  EXPECT_EQ(inventory.value("framework.torch.import.version"), "2.8.0+cu128");
  EXPECT_EQ(inventory.value("framework.torch.import.cuda"), "12.8");
  EXPECT_EQ(inventory.value("framework.torch.import.cuda_available"), "yes");
  EXPECT_EQ(inventory.value("framework.torch.import.device_count"), "8");
  EXPECT_EQ(inventory.value("framework.torch.import.nccl"), "2.27.3");
  EXPECT_FALSE(inventory.has("framework.torch.import.cudnn"));
}

TEST_F(Import, AFailureIsItsAnswer) {
  const std::string outcome = "framework.torch.import.outcome";
  EXPECT_EQ(imported("raise ImportError('libcudnn.so.9: cannot open shared object file')").value(outcome),
            "ImportError: libcudnn.so.9: cannot open shared object file");
  EXPECT_EQ(imported("import sys; sys.exit(3)").value(outcome), "SystemExit: 3");
  EXPECT_EQ(imported("this is no Python").value(outcome), "SyntaxError: invalid syntax (torch.py, line 1)");
  EXPECT_EQ(imported("raise ConnectionError('GET https://bob:s3cret@pypi.example/x: proxy 10.4.4.4')")
                .value(outcome),
            "ConnectionError: GET https://withheld@pypi.example/x: proxy 10.4.4.4");
  EXPECT_THAT(imported("import os, sys; print('proxy http://bob:s3cret@h', file=sys.stderr, flush=True); "
                       "os._exit(7)")
                  .value(outcome),
              HasSubstr("it last said: proxy http://withheld@h"));
  EXPECT_THAT(imported("import os; os.kill(os.getpid(), 11)").value(outcome),
              StartsWith("it ended by a segmentation fault"));
  EXPECT_THAT(imported("import os, sys; print('last words', file=sys.stderr, flush=True); os._exit(7)")
                  .value(outcome),
              HasSubstr("it ended with code 7 and no answer; it last said: last words"));
}

TEST_F(Import, AHangEndsAtTheLimit) {
  const Inventory inventory = imported("import time; time.sleep(600)", 1);
  EXPECT_EQ(inventory.value("framework.torch.import.outcome"), "no answer within 1 s");
}

TEST_F(Import, ACrashOnTheWayOutIsSaidWithTheFacts) {
  const Inventory inventory =
      imported("__version__ = '1'\nimport atexit, os\natexit.register(lambda: os.kill(os.getpid(), 11))\n");
  EXPECT_THAT(inventory.value("framework.torch.import.outcome"),
              StartsWith("ok; it ended by a segmentation fault"));
  EXPECT_EQ(inventory.value("framework.torch.import.version"), "1");
}

TEST_F(Import, ModulesOfTheWorkingFolderAreNotRun) {
  FakeTree planted;
  for (const std::string name : {"json", "os", "re", "torch"})
    planted.file("/" + name + ".py", "open('owned', 'w')");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(planted.root());
  const Inventory inventory = imported("import re\n__version__ = '2.8.0'");
  std::filesystem::current_path(before);
  EXPECT_EQ(inventory.value("framework.torch.import.outcome"), "ok");
  EXPECT_EQ(inventory.value("framework.torch.import.version"), "2.8.0");
  EXPECT_FALSE(std::filesystem::exists(planted.at("/owned")));
}

TEST(ImportAnswer, NonsenseIsNoAnswer) {
  const auto outcome = [](const ChildResult& child) {
    Inventory inventory;
    add_import("jax", "/usr/bin/python3", child, 20, inventory);
    return inventory.value("framework.jax.import.outcome");
  };
  ChildResult child;
  child.exit_code = 0;
  for (const char* const out : {"", "noise", "[]", "{}", "{\"outcome\": 3}", "{\"outcome\": "}) {
    child.out = out;
    EXPECT_EQ(outcome(child), "it ended with code 0 and no answer") << out;
  }
  child.start_error = "Permission denied";
  EXPECT_EQ(outcome(child), "the interpreter could not be started: Permission denied");
}

}  // namespace
}  // namespace gpugauge::stack
