#include "report/pieces.hpp"

#include <gmock/gmock.h>

#include "report/table.hpp"

namespace gpugauge::report {
namespace {

using testing::ElementsAre;

TEST(Pieces, AreWordsWhereNothingIsACommand) {
  EXPECT_THAT(pieces("  one  two\nthree "), ElementsAre("one", "two", "three"));
  EXPECT_THAT(pieces(""), ElementsAre());
  EXPECT_THAT(pieces("the gpugauge executable; another gpugauge waits"),
              ElementsAre("the", "gpugauge", "executable;", "another", "gpugauge", "waits"));
}

TEST(Pieces, WhatStandsBetweenBackticksIsOne) {
  EXPECT_THAT(
      pieces("Make one with `gpugauge baseline create --device GPU-1` (see `list`)."),
      ElementsAre("Make", "one", "with", "`gpugauge baseline create --device GPU-1`", "(see", "`list`)."));
  EXPECT_THAT(pieces("it (`gpugauge check`, soon) ends"),
              ElementsAre("it", "(`gpugauge check`,", "soon)", "ends"));
}

TEST(Pieces, ABacktickThatEndsNothingOrQuotesAsACompilerDoesIsNoCode) {
  EXPECT_THAT(pieces("error: `foo' is no `bar' here"),
              ElementsAre("error:", "`foo'", "is", "no", "`bar'", "here"));
  EXPECT_THAT(pieces("a `b c"), ElementsAre("a", "`b", "c"));
}

TEST(Pieces, ACommandInProseIsOneToWhereItEnds) {
  EXPECT_THAT(
      pieces("Reset that GPU: sudo nvidia-smi --gpu-reset -i 0000:02:00.0 (refused while in use); else"),
      ElementsAre("Reset", "that", "GPU:", "sudo nvidia-smi --gpu-reset -i 0000:02:00.0", "(refused", "while",
                  "in", "use);", "else"));
  EXPECT_THAT(
      pieces("Then sudo modprobe -r nvidia_uvm nvidia && sudo modprobe -a nvidia nvidia_uvm, and go on"),
      ElementsAre("Then", "sudo modprobe -r nvidia_uvm nvidia && sudo modprobe -a nvidia nvidia_uvm,", "and",
                  "go", "on"));
  EXPECT_THAT(
      pieces("nvidia-smi -q -d ECC; drain the node (sudo dmesg | grep NVRM), or run gpugauge doctor there"),
      ElementsAre("nvidia-smi -q -d ECC;", "drain", "the", "node", "(sudo dmesg | grep NVRM),", "or", "run",
                  "gpugauge doctor", "there"));
  EXPECT_THAT(pieces("Have it in /etc/ld.so.conf.d, then sudo ldconfig"),
              ElementsAre("Have", "it", "in", "/etc/ld.so.conf.d,", "then", "sudo ldconfig"));
  EXPECT_THAT(pieces("Compare nvidia-smi -L with ls -l /dev/nvidia*"),
              ElementsAre("Compare", "nvidia-smi -L", "with", "ls -l /dev/nvidia*"));
}

TEST(Pieces, WhatIsQuotedInACommandDoesNotEndIt) {
  EXPECT_THAT(pieces("see: python -c \"import torch; print(torch.version, 1)\"; go"),
              ElementsAre("see:", "python -c \"import torch; print(torch.version, 1)\";", "go"));
  EXPECT_THAT(pieces("Look: nvidia-smi -q | grep -A8 'GPU Link Info' while a copy runs"),
              ElementsAre("Look:", "nvidia-smi -q | grep -A8 'GPU Link Info'", "while", "a", "copy", "runs"));
  EXPECT_THAT(pieces("try: echo 'never closed"), ElementsAre("try:", "echo", "'never", "closed"));
}

TEST(Wrap, BreaksNoCommand) {
  EXPECT_EQ(wrap("Reset it: sudo nvidia-smi --gpu-reset -i 0", 44, 2),
            "Reset it: sudo nvidia-smi --gpu-reset -i 0");
  EXPECT_EQ(wrap("Reset it: sudo nvidia-smi --gpu-reset -i 0", 40, 2),
            "Reset it:\n  sudo nvidia-smi --gpu-reset -i 0");
  // Longer than a line: no terminal that breaks it puts a newline into what is copied.
  EXPECT_EQ(wrap("Make one: `gpugauge baseline create` now", 20, 2),
            "Make one:\n  `gpugauge baseline create`\n  now");
}

}  // namespace
}  // namespace gpugauge::report
