#include "stack/inventory/kernel_log.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "stack/inventory/collect.hpp"
#include "unit/stack/fake_tree.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Inventory log_of(const FakeTree& tree) {
  Inventory inventory;
  collect_kernel_log({Tree(tree.root()), {}, "", {}, false, 20, {}}, inventory);
  return inventory;
}

std::string time_and_text(const std::optional<LogLine>& line) {
  return line ? line->time + " | " + line->text : "none";
}

TEST(KernelLog, ReadsXids) {
  EXPECT_EQ(
      parse_xid(
          "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
      "0000:01:00.0 79 GPU has fallen off the bus");
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:C1:00.0): 63, Row Remapper: New row marked for remapping"),
            "0000:c1:00.0 63 Row Remapper: New row marked for remapping");
  EXPECT_EQ(parse_xid("x NVRM: Xid (0000:3b:00): 31, pid=12, Ch 00000010, intr 10000000. MMU Fault"),
            "0000:3b:00.0 31 Ch 00000010, intr 10000000. MMU Fault");
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:01:00): 45"), "0000:01:00.0 45 ");
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, name=x, Contained: CE User Channel "
                      "(0x9)"),
            "0000:01:00.0 94 Contained: CE User Channel (0x9)")
      << "of a GPU with MIG";
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0001:C1:00 GPU-I:05 GPU-CI:01): 13, pid=7, name=x, Graphics Exception"),
            "0001:c1:00.0 13 Graphics Exception");
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:01:00" + std::string(100, ' ') + "): 94, x"), std::nullopt);
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:01:00): abc, no code"), std::nullopt);
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:01:00"), std::nullopt);
  EXPECT_EQ(parse_xid("NVRM: loading NVIDIA UNIX x86_64 Kernel Module"), std::nullopt);
}

TEST(KernelLog, ReadsTheKernelsRecords) {
  const double boot = 1763546400;  // 2025-11-19 10:00:00 UTC
  EXPECT_EQ(
      time_and_text(parse_kmsg_record("3,1234,61500000,-;NVRM: text, with; marks\n SUBSYSTEM=pci\n", boot)),
      "2025-11-19T10:01:01 | NVRM: text, with; marks");
  EXPECT_EQ(time_and_text(parse_kmsg_record("3,1,0,-,caller=T1;NVRM: a", boot)),
            "2025-11-19T10:00:00 | NVRM: a");
  for (const char* const record :
       {"", ";", "3,1;x", "3,1,x,-;y", "3,1,-5,-;y", "no record", "12,1,5,-;NVRM: a program's"})
    EXPECT_EQ(parse_kmsg_record(record, boot), std::nullopt) << record;
}

TEST(KernelLog, ReadsLinesOfLogFiles) {
  EXPECT_EQ(time_and_text(parse_log_line("Nov 20 10:11:12 node7 kernel: [ 1234.5] NVRM: a", 2026, 11)),
            "2026-11-20T10:11:12 | NVRM: a");
  EXPECT_EQ(time_and_text(parse_log_line("Dec 31 23:59:59 node7 kernel: NVRM: a", 2027, 1)),
            "2026-12-31T23:59:59 | NVRM: a");
  EXPECT_EQ(time_and_text(parse_log_line("Nov  2 01:02:03 h kernel: [12.0] NVRM: [a] b", 2026, 11)),
            "2026-11-02T01:02:03 | NVRM: [a] b");
  EXPECT_EQ(time_and_text(parse_log_line("2026-11-20T10:11:12.345678+01:00 h kernel: NVRM: a", 2026, 11)),
            "2026-11-20T10:11:12 | NVRM: a");
  EXPECT_EQ(time_and_text(parse_log_line("[   12.345678] NVRM: a", 2026, 11)), "boot+12s | NVRM: a");
  for (const char* const line :
       {"Nov 20 10:11:12 h app[3]: it said kernel: NVRM: Xid (PCI:0000:01:00): 79, forged",
        "gibberish kernel: NVRM: a", "2026-11-20T10:11:12+01:00 h app: kernel: NVRM: a",
        "Nov 20 10:11:12345 h kernel: NVRM: a", " kernel: NVRM: a"})
    EXPECT_EQ(parse_log_line(line, 2026, 11), std::nullopt) << line;
  EXPECT_EQ(parse_log_line("Nov 20 10:11:12 node7 app[3]: NVRM: not of the kernel", 2026, 11), std::nullopt);
  EXPECT_EQ(parse_log_line("[nan] NVRM: a", 2026, 11), std::nullopt);
}

TEST(KernelLog, TellsTheNewestFirst) {
  FakeTree tree;
  std::string text;
  for (int i = 10; i < 35; ++i)
    text += fmt::format("2026-11-20T10:11:{} h kernel: NVRM: Xid (PCI:0000:01:00): 13, error {}\n", i, i);
  text +=
      "2026-11-20T10:12:00 h kernel: NVRM: GPU at PCI:0000:01:00: GPU-1234\n"
      "2026-11-20T10:12:01 h kernel: usb 1-1: nothing of ours\n"
      "2026-11-20T10:12:02 h kernel: nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 "
      "LTSSM\n";
  tree.file("/var/log/kern.log", text);
  const Inventory inventory = log_of(tree);
  EXPECT_EQ(inventory.value("kernel_log.readable"), "yes");
  EXPECT_EQ(inventory.find("kernel_log.readable")->source, "/var/log/kern.log");
  EXPECT_EQ(inventory.value("kernel_log.xid_count"), "25");
  EXPECT_EQ(inventory.children("kernel_log.xid").size(), 20U);
  EXPECT_EQ(inventory.value("kernel_log.xid.0"), "2026-11-20T10:11:34 0000:01:00.0 13 error 34");
  EXPECT_EQ(inventory.value("kernel_log.xid.19"), "2026-11-20T10:11:15 0000:01:00.0 13 error 15");
  EXPECT_EQ(inventory.value("kernel_log.sxid.0"),
            "2026-11-20T10:12:02 0000:c1:00.0 20034 Fatal, Link 30 LTSSM");
  EXPECT_EQ(inventory.value("kernel_log.sxid_count"), "1");
  EXPECT_THAT(inventory.children("kernel_log.nvrm"), ElementsAre("0"));
  EXPECT_EQ(inventory.value("kernel_log.nvrm.0"),
            "2026-11-20T10:12:00 NVRM: GPU at PCI:0000:01:00: GPU-1234");
  EXPECT_EQ(inventory.find("kernel_log.hmm_failure")->presence, Presence::absent);
}

TEST(KernelLog, ManyHarmlessLinesDoNotHideAGraveOne) {
  FakeTree tree;
  std::string text =
      "[1.0] NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.\n"
      "[1.0] nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n";
  for (int i = 0; i < 50; ++i)
    text +=
        "[2.0] NVRM: Xid (PCI:0000:01:00): 13, again\n"
        "[2.0] nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Non-fatal, Link 30 again\n";
  tree.file("/var/log/kern.log", text);
  const Inventory inventory = log_of(tree);
  EXPECT_EQ(inventory.value("kernel_log.xid_count"), "51");
  EXPECT_EQ(inventory.value("kernel_log.xid.20"), "boot+1s 0000:02:00.0 79 GPU has fallen off the bus");
  EXPECT_EQ(inventory.value("kernel_log.sxid_count"), "51");
  EXPECT_EQ(inventory.value("kernel_log.sxid.20"),
            "boot+1s 0000:c1:00.0 20034 Fatal, Link 30 LTSSM Fault Up");
  std::string many;
  for (int i = 1; i <= 100; ++i) many += fmt::format("[3.0] NVRM: Xid (PCI:0000:01:00): {}, x\n", i);
  tree.file("/var/log/kern.log", many);
  EXPECT_EQ(log_of(tree).children("kernel_log.xid").size(), 40U);
}

TEST(KernelLog, DataBehindASwitchsErrorPushNothingOut) {
  FakeTree tree;
  std::string text = "[1.0] NVRM: GPU 0000:3a:00.0: RmInitAdapter failed! (0x62:0x65:1792)\n";
  for (int i = 0; i < 30; ++i)
    text +=
        "[2.0] nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Severity 5 Engine instance 30\n"
        "[2.0] nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Data {0x00000000}\n";
  tree.file("/var/log/kern.log", text);
  const Inventory inventory = log_of(tree);
  EXPECT_THAT(inventory.children("kernel_log.nvrm"), ElementsAre("0"));
  EXPECT_EQ(inventory.value("kernel_log.nvrm.0"),
            "boot+1s NVRM: GPU 0000:3a:00.0: RmInitAdapter failed! (0x62:0x65:1792)");
  EXPECT_EQ(inventory.value("kernel_log.sxid_count"), "0");
}

TEST(KernelLog, ReadsErrorsOfSwitches) {
  EXPECT_EQ(
      parse_sxid("nvidia-nvswitch1: SXid (PCI:0000:C3:00.0): 12028, Non-fatal, Link 32 egress PRIV error"),
      "0000:c3:00.0 12028 Non-fatal, Link 32 egress PRIV error");
  EXPECT_EQ(parse_sxid("nvidia-nvswitch1: SXid (PCI:0000:c3:00.0): 11012, Correctable, Link 01 ECC"),
            "0000:c3:00.0 11012 Correctable, Link 01 ECC");
  for (const char* const line :
       {"nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 10002, Severity 5 Engine instance 00",
        "nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 10002, Data {0x00000000}",
        "nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): garbled, Fatal, x",
        "NVRM: Xid (PCI:0000:01:00): 79, Fatal, x"})
    EXPECT_EQ(parse_sxid(line), std::nullopt) << line;
}

TEST(KernelLog, SeesTheFailureUnderAddressRandomisation) {
  FakeTree tree;
  tree.file("/var/log/messages",
            "Nov 20 10:11:12 h kernel: [64689.125237] nvidia-uvm: uvm_pmm_gpu.c:3176 "
            "devmem_alloc_pagemap[pid:92821] request_free_mem_region() err -34\n");
  EXPECT_EQ(log_of(tree).value("kernel_log.hmm_failure"), "yes");
  EXPECT_EQ(log_of(tree).value("kernel_log.xid_count"), "0");
}

TEST(KernelLog, ForgetsWhatWasBeforeTheLastStart) {
  FakeTree tree;
  tree.file("/var/log/kern.log",
            "2026-11-19T10:11:12 h kernel: NVRM: Xid (PCI:0000:01:00): 79, before\n"
            "2026-11-20T08:00:00 h kernel: Linux version 6.8.0-60-generic (builder@host)\n"
            "2026-11-20T08:00:09 h kernel: Loading of unsigned module is rejected\n"
            "2026-11-20T09:11:12 h kernel: NVRM: Xid (PCI:0000:02:00): 48, after\n"
            "2026-11-20T09:11:13 h app: Linux version 6.8.0-60-generic\n");
  const Inventory inventory = log_of(tree);
  EXPECT_EQ(inventory.value("kernel_log.xid_count"), "1");
  EXPECT_EQ(inventory.value("kernel_log.xid.0"), "2026-11-20T09:11:12 0000:02:00.0 48 after");
  EXPECT_EQ(inventory.value("kernel_log.nvrm.0"),
            "2026-11-20T08:00:09 Loading of unsigned module is rejected");
}

TEST(KernelLog, WhatIsOlderThanThisBootDoesNotCountWhereTheLogShowsNoStart) {
  const auto count = [](const std::string& stat) {
    FakeTree tree;
    if (!stat.empty()) tree.file("/proc/stat", "cpu 1 2 3\nbtime " + stat + "\nprocesses 5\n");
    tree.file("/var/log/kern.log",
              "2026-11-19T10:11:12+00:00 h kernel: NVRM: Xid (PCI:0000:01:00): 79, before\n"
              "2026-11-20T09:00:00+02:00 h kernel: NVRM: Xid (PCI:0000:01:00): 79, at seven\n"
              "2026-11-20T09:11:12Z h kernel: NVRM: Xid (PCI:0000:02:00): 48, after\n");
    return log_of(tree).value("kernel_log.xid_count");
  };
  EXPECT_EQ(count("1795248000"), "1") << "2026-11-21 08:00 UTC";
  EXPECT_EQ(count("1795240800"), "2") << "06:00: the clock may have been set by less than a day";
  EXPECT_EQ(count(""), "3") << "an image was never started";
  EXPECT_EQ(count("0"), "3");
}

TEST(KernelLog, AFileThatWasLastChangedBeforeThisBootIsNotItsLog) {
  FakeTree tree;
  tree.file("/proc/stat", "btime 4102444800\n");  // the year 2100
  tree.file("/var/log/kern.log", "[    1.0] NVRM: Xid (PCI:0000:01:00): 79, long ago\n");
  EXPECT_EQ(log_of(tree).find("kernel_log.readable")->presence, Presence::absent);
  EXPECT_THAT(log_of(tree).children("kernel_log.xid"), IsEmpty());
}

TEST(KernelLog, ReadsOnlyTheEndOfAHugeLog) {
  FakeTree tree;
  std::string text = "[    1.0] NVRM: Xid (PCI:0000:01:00): 79, long ago\n";
  while (text.size() < (std::size_t{5} << 20))
    text += "[    2.0] something else that fills the file up to its end\n";
  tree.file("/var/log/dmesg", text + "[    3.0] NVRM: Xid (PCI:0000:01:00): 48, lately\n");
  EXPECT_EQ(log_of(tree).value("kernel_log.xid_count"), "1");
  EXPECT_EQ(log_of(tree).value("kernel_log.xid.0"), "boot+3s 0000:01:00.0 48 lately");
}

TEST(KernelLog, AbsentAndUnreadableAreDifferent) {
  EXPECT_EQ(log_of(FakeTree()).find("kernel_log.readable")->presence, Presence::absent);
  FakeTree refused;
  refused.link("/var/log/kern.log", "kern.log");
  ASSERT_TRUE(log_of(refused).unreadable("kernel_log.readable"));
  EXPECT_EQ(log_of(refused).find("kernel_log.readable")->needs, "group adm or root");
  EXPECT_THAT(log_of(refused).children("kernel_log.xid"), IsEmpty());
}

TEST(KernelLog, AJournalIsThereAndNotReadAndTheCommandThatReadsItIsNamed) {
  FakeTree tree;
  tree.file("/var/log/journal/0123456789abcdef/system.journal", "LPKSHHRH");
  const Inventory found = log_of(tree);
  ASSERT_TRUE(found.unreadable("kernel_log.readable"));
  EXPECT_EQ(found.find("kernel_log.readable")->source, "/var/log/journal");
  EXPECT_EQ(found.find("kernel_log.readable")->needs,
            "the command `journalctl -D " + tree.at("/var/log/journal").string() + " -k -g NVRM`");
  tree.file("/var/log/kern.log", "");
  EXPECT_EQ(log_of(tree).value("kernel_log.readable"), "yes") << "a text is read where there is one";
}

TEST(KernelLog, HostileLinesAreCutShort) {
  FakeTree tree;
  tree.file("/var/log/kern.log", "[    1.0] NVRM: Xid (PCI:" + std::string(100000, ':') +
                                     "): 1, x\n[ 2] NVRM: " + std::string(100000, 'y') +
                                     std::string("\0\n", 2));
  const Inventory inventory = log_of(tree);
  EXPECT_EQ(inventory.value("kernel_log.xid_count"), "0");
  for (const Item& item : inventory.items()) EXPECT_LT(item.value.size(), 400U) << item.key;
}

}  // namespace
}  // namespace gpugauge::stack
