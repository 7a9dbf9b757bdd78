#include "stack/plan/redact.hpp"

#include <gmock/gmock.h>

#include "stack/plan/redact_scan.hpp"
#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

// Assembled, so that no file of the project holds a path of one machine.
const std::string home = std::string("/ho") + "me";
const std::string root_home = std::string("/ro") + "ot";
const std::string uuid = "12345678-9abc-def0-1234-56789abcdef0";

std::string redacted(const std::string& text) {
  return Redactor().text(text);
}

TEST(Redact, FindsWhatHasAForm) {
  EXPECT_EQ(redacted("GPU-" + uuid + " of " + uuid), "gpu-uuid-0 of uuid-0");
  EXPECT_EQ(redacted("MIG-" + uuid), "mig-uuid-0");
  EXPECT_EQ(redacted("root=UUID=" + uuid + " ro"), "root=UUID=uuid-0 ro");
  EXPECT_EQ(redacted("eth0 aa:bb:cc:dd:ee:0f up"), "eth0 mac-0 up");
  EXPECT_EQ(redacted("aa-bb-cc-dd-ee-0f"), "mac-0");
  EXPECT_EQ(redacted("guid 506b:4b03:00f4:1234."), "guid guid-0.");
  EXPECT_EQ(redacted("0x506b4b0300f41234"), "guid-0");
  EXPECT_EQ(redacted("10.0.12.7:8080, 10.0.12.7"), "ip-0:8080, ip-0");
  EXPECT_EQ(redacted("fe80::1:2 and ::1"), "ip-0 and ip-1");
  EXPECT_EQ(redacted("2001:0db8:0000:0000:0000:0000:0000:0001"), "ip-0");
}

TEST(Redact, LeavesWhatOnlyLooksAlike) {
  for (const char* text :
       {"0000:01:00.0", "580.65.06", "1.2.3", "256.1.1.1", "1.2.3.4.5", "GPU-0", "std::vector",
        "12345678-9abc-def0-1234-56789abcdef01", "x12345678-9abc-def0-1234-56789abcdef0", "aa:bb:cc:dd:ee",
        "10:11:12", "0x2330", "sm_90"})
    EXPECT_EQ(redacted(text), text);
}

TEST(Redact, FoldersBelowAHomeGo) {
  EXPECT_EQ(redacted(home + "/alice/.venv/lib/libcudnn.so.9.10.2"), "home-folder-0/libcudnn.so.9.10.2");
  EXPECT_EQ(redacted(home + "/alice/secret project"), "home-folder-0 project") << "free text ends at a blank";
  EXPECT_EQ(redacted("a:" + home + "/alice/x:" + home + "/bob"), "a:home-folder-0:home-folder-1");
  EXPECT_EQ(redacted(root_home + "/x/y"), "home-folder-0");
  EXPECT_EQ(redacted(root_home + "fs/x"), root_home + "fs/x");
  EXPECT_EQ(redacted(home), home);
  EXPECT_EQ(redacted("/mnt" + home + "/alice"), "/mnt" + home + "/alice") << "another folder of that name";
  Redactor redactor(RedactNames{{}, {}, {"/data/users/carol"}});
  EXPECT_EQ(redactor.text("/data/users/carol/w/libx.so.1"), "home-folder-0/libx.so.1");
  EXPECT_EQ(redactor.text("/data/users/caroline/w"), "/data/users/caroline/w");
}

TEST(Redact, NamesGoAsWholeWords) {
  Redactor redactor(RedactNames{{"node17.example.org", "node17"}, {"alice"}, {}});
  EXPECT_EQ(redactor.text("node17.example.org kernel: node17: alice@node170 malice"),
            "host-0 kernel: host-1: user-0@node170 malice");
  Redactor careful(RedactNames{{"a"}, {"vm"}, {}});
  EXPECT_EQ(careful.text("a vm"), "a vm") << "too short to be told from other words";
}

TEST(Redact, AnInventoryKeepsItsEqualities) {
  Inventory inventory = world::holding({{"gpu.0.uuid", ("GPU-" + uuid).c_str()},
                                        {"gpu.0.serial", "1650923012345"},
                                        {"gpu.1.serial", "1650923012346"},
                                        {"kernel_log.nvrm.0", "board 1650923012346 at 10.0.0.1"},
                                        {"wheel.nvidia-cublas-cu12.version", "12.8.4.1"},
                                        {"env.NCCL_SOCKET_IFNAME", "10.1.2.3"},
                                        {"env.CUDA_VISIBLE_DEVICES", ("GPU-" + uuid).c_str()},
                                        {"host.cpus", "64"}});
  inventory.present("library.cudnn.0.path", home + "/alice/My Files/libcudnn.so.9.10.2",
                    home + "/alice/My Files/x");
  inventory.unreadable("file.nccl_conf", home + "/alice/n", "user alice");
  Redactor redactor(RedactNames{{}, {"alice"}, {}});
  const Inventory copy = redactor.inventory(inventory);
  EXPECT_EQ(copy.value("gpu.0.uuid"), "gpu-uuid-0");
  EXPECT_EQ(copy.value("env.CUDA_VISIBLE_DEVICES"), "gpu-uuid-0");
  EXPECT_EQ(copy.value("gpu.0.serial"), "gpu-serial-0");
  EXPECT_EQ(copy.value("gpu.1.serial"), "gpu-serial-1");
  EXPECT_EQ(copy.value("kernel_log.nvrm.0"), "board gpu-serial-1 at ip-0");
  EXPECT_EQ(copy.value("wheel.nvidia-cublas-cu12.version"), "12.8.4.1") << "a version, not an address";
  EXPECT_EQ(copy.value("env.NCCL_SOCKET_IFNAME"), "ip-1");
  EXPECT_EQ(copy.value("host.cpus"), "64");
  EXPECT_EQ(copy.value("library.cudnn.0.path"), "home-folder-0/libcudnn.so.9.10.2");
  EXPECT_EQ(copy.find("file.nccl_conf")->needs, "user user-0");
  EXPECT_TRUE(copy.unreadable("file.nccl_conf"));
  EXPECT_EQ(copy.items().size(), inventory.items().size());
  EXPECT_EQ(Redactor().inventory(copy), copy) << "what is redacted stays as it is";
}

TEST(Redact, TakesLinearTimeOnHostileText) {
  for (const char* piece : {"a:", "1.", "GPU-", "::", "/", "0x", "12345678-"}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += piece;
    EXPECT_EQ(redacted(text).size(), text.size()) << piece;
  }
  redacted(std::string(200000, 'f'));
  redacted(std::string("\0\xff\xfe", 3));
}

TEST(RedactScan, ReadsOnlyWithinTheText) {
  const std::string text = "GPU-" + uuid;
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_EQ(scan::gpu_uuid(std::string_view(text).substr(0, length), 0), 0U);
  EXPECT_EQ(scan::gpu_uuid(text, 0), text.size());
  EXPECT_EQ(scan::ipv4("1.2.3.", 0), 0U);
  EXPECT_EQ(scan::mac("aa:bb:cc:dd:ee:f", 0), 0U);
}

}  // namespace
}  // namespace gpugauge::stack
