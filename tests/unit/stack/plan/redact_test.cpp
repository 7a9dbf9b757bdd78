#include "stack/plan/redact.hpp"

#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "stack/credentials.hpp"
#include "stack/plan/redact_scan.hpp"
#include "unit/stack/fake_tree.hpp"
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
  EXPECT_EQ(redacted("/var" + home + "/alice/x"), "home-folder-0") << "homes lie elsewhere too";
  EXPECT_EQ(redacted("/nfs" + home + "/alice/w/libx.so.1"), "home-folder-0/libx.so.1");
  EXPECT_EQ(redacted("/mnt/c/Users/Alice/x:/usr/lib"), "home-folder-0:/usr/lib");
  EXPECT_EQ(redacted("/mnt" + home + " /mnt" + home + "/"), "/mnt" + home + " /mnt" + home + "/")
      << "names nobody";
  EXPECT_EQ(redacted("/data/users/caroline/w"), "home-folder-0") << "whoever has a folder there";
  Redactor redactor(RedactNames{{}, {}, {"/data/people/carol"}});
  EXPECT_EQ(redactor.text("/data/people/carol/w/libx.so.1"), "home-folder-0/libx.so.1");
  EXPECT_EQ(redactor.text("/data/people/caroline/w"), "/data/people/caroline/w");
}

TEST(Redact, AddressesInPlacesWhereTheyHide) {
  EXPECT_EQ(redacted("BOOTIF=01-aa-bb-cc-dd-ee-ff"), "BOOTIF=mac-0");
  EXPECT_EQ(redacted("serial 48-b0-2d-ff-fe-12-34-56"), "serial guid-0");
  EXPECT_EQ(redacted("https://alice:word@proxy.example.org:3128/x, http://proxy.example.org"),
            "https://address-0/x, http://address-1");
  EXPECT_EQ(redacted(std::string(64, 'a') + " of " + std::string(63, 'a')),
            "container-id-0 of " + std::string(63, 'a'));
  EXPECT_EQ(redacted("GPU-8e3f1a22 GPU-8e3f1a22-1b GPU-0 GPU-accelerated"),
            "gpu-uuid-0 gpu-uuid-1 GPU-0 GPU-accelerated")
      << "CUDA_VISIBLE_DEVICES takes a beginning too";
}

TEST(Redact, AddressesBehindANameAndInOtherForms) {
  EXPECT_EQ(redacted("ifname=eth0:00:16:3e:aa:bb:cc ro"), "ifname=eth0:mac-0 ro") << "as dracut takes it";
  EXPECT_EQ(redacted("enx78e7d1ea46da,wlx78e7d1ea46db"), "mac-0,mac-1") << "named by its address";
  EXPECT_EQ(redacted("inet6 addr:fe80::1:2 up"), "inet6 addr:ip-0 up");
  EXPECT_EQ(redacted("[::ffff:10.1.2.3]:80, 64:ff9b::10.1.2.3"), "[ip-0]:80, ip-1");
  EXPECT_EQ(redacted("1:2:3:4:5:6:10.1.2.3"), "ip-0");
  EXPECT_EQ(redacted("4f1b2c3d:aabbccdd:00112233:deadbeef"), "guid-0") << "a RAID's";
  EXPECT_EQ(redacted("initrd=\\4098b3f648d74c13b1f04ccfba7798e8\\initrd"), "initrd=\\machine-id-0\\initrd");
  for (const char* text :
       {"enxfff", "enx78e7d1ea46da0", "PCI:0000:01:00.0", "a:aa:bb:cc:dd:ee", "x::y",
        "aa:bb:cc:dd:ee:ff:00:11:22:33", "580.65.06:aa", "0123456789abcdef0123456789abcde"})
    EXPECT_EQ(redacted(text), text);
}

TEST(Redact, BootOptionsThatNameADiskOrAMachine) {
  const Inventory copy = Redactor().inventory(
      world::holding({{"kernel.command_line",
                       "root=PARTUUID=1234abcd-02 resume=UUID=ABCD-1234 rd.md.uuid=1:2:3:4 "
                       "nbdroot=head01:/x rd.nvmf.hostnqn=nqn.2014-08.org:node5 "
                       "systemd.machine_id=4098b3f648d74c13b1f04ccfba7798e8"}}));
  EXPECT_EQ(copy.value("kernel.command_line"),
            "root=address-0 resume=address-1 rd.md.uuid=address-2 nbdroot=address-3 "
            "rd.nvmf.hostnqn=address-4 systemd.machine_id=machine-id-0");
}

TEST(Redact, ListsOfFoldersWithBlanks) {
  const Inventory copy = Redactor().inventory(
      world::holding({{"env.LD_LIBRARY_PATH", "/mnt/c/Users/Alice Smith/x:/usr/lib:/mnt/c/Users/Bob Ray/y"},
                      {"env.PYTHONPATH", "/srv/users/dora/lib::/usr/lib"},
                      {"process.env.UCX_PATH", "/x:https://anna@head01/y"}}));
  EXPECT_EQ(copy.value("env.LD_LIBRARY_PATH"), "home-folder-0:/usr/lib:home-folder-1");
  EXPECT_EQ(copy.value("env.PYTHONPATH"), "home-folder-2::/usr/lib");
  EXPECT_EQ(copy.value("process.env.UCX_PATH"), "/x:https://address-0/y");
  EXPECT_EQ(Redactor().inventory(copy), copy) << "what is redacted stays as it is";
}

TEST(Redact, WhatNamesMachinesGoesWhole) {
  const Inventory inventory = world::holding(
      {{"env.NCCL_COMM_ID", "head01:4444"},
       {"env.JAX_COORDINATOR_ADDRESS", "head01:4444"},
       {"env.TF_CONFIG", R"({"cluster": {"worker": ["worker-a:22"]}})"},
       {"env.NCCL_SOCKET_IFNAME", "eth0"},
       {"env.VLLM_DP_MASTER_IP", "node5.corp.example.com"},
       {"env.JAX_PROXY", "proxy.corp.example:3128"},
       {"env.UCX_CUDA_IPC_CACHE", "n"},
       {"env.NCCL_PROXY_DUMP_SIGNAL", "10"},
       {"process.env.NCCL_HOSTID", "node17"},
       {"file.nccl_conf", "NCCL_COMM_ID=head01:4444 NCCL_DEBUG=WARN"},
       {"kernel.command_line",
        "BOOT_IMAGE=/vmlinuz root=LABEL=node17-root resume=/dev/mapper/vg17-swap systemd.hostname=node17 "
        "ip=dhcp rd.lvm.lv=vg17/root iommu=pt nokaslr"}});
  const Inventory copy = Redactor().inventory(inventory);
  EXPECT_EQ(copy.value("env.NCCL_COMM_ID"), "address-0");
  EXPECT_EQ(copy.value("env.JAX_COORDINATOR_ADDRESS"), "address-0") << "what was equal stays equal";
  EXPECT_EQ(copy.value("env.TF_CONFIG"), "address-1");
  EXPECT_EQ(copy.value("env.NCCL_SOCKET_IFNAME"), "eth0");
  EXPECT_EQ(copy.value("env.VLLM_DP_MASTER_IP"), "address-2");
  EXPECT_EQ(copy.value("env.JAX_PROXY"), "address-3");
  EXPECT_EQ(copy.value("env.UCX_CUDA_IPC_CACHE"), "n") << "no address, by its name";
  EXPECT_EQ(copy.value("env.NCCL_PROXY_DUMP_SIGNAL"), "10");
  EXPECT_EQ(copy.value("process.env.NCCL_HOSTID"), "address-4");
  EXPECT_EQ(copy.value("file.nccl_conf"), "NCCL_COMM_ID=address-0 NCCL_DEBUG=WARN");
  const std::string line = copy.value("kernel.command_line");
  EXPECT_EQ(line.find("17"), std::string::npos) << line;
  EXPECT_NE(line.find(" iommu=pt nokaslr"), std::string::npos) << "what a rule reads stays: " << line;
  EXPECT_EQ(Redactor().inventory(copy), copy);
}

TEST(Redact, VersionsOfFourNumbersAreNoAddresses) {
  const Inventory inventory = world::holding({{"container.image_cuda", "13.0.0.044"},
                                              {"container.toolkit_version", "1.17.8.1"},
                                              {"container.require", "cuda>=12.8.0.1"},
                                              {"container.mounted.0", "/usr/lib/libx.so.12.8.4.1"},
                                              {"env.NVIDIA_REQUIRE_CUDA", "cuda>=12.8.0.1"},
                                              {"driver.history.0", "upgrade x 1.2.3.4 -> 1.2.3.5"}});
  EXPECT_EQ(Redactor().inventory(inventory), inventory);
}

TEST(Redact, ProductsAndWordsOfTheInventoryAreNoNames) {
  const RedactNames names{{"h100", "tesla", "node17"}, {"ada", "open", "on", "generic", "carol"}, {}};
  const Inventory inventory = world::holding({{"gpu.0.name", "NVIDIA RTX 6000 Ada Generation"},
                                              {"gpu.1.name", "NVIDIA H100 80GB HBM3"},
                                              {"gpu.1.brand", "Tesla"},
                                              {"driver.kernel_module_kind", "open"},
                                              {"kernel.version", "6.8.0-79-generic"}});
  EXPECT_EQ(Redactor(names).inventory(inventory), inventory);
  const Inventory named = Redactor(names).inventory(
      world::holding({{"toolkit.selected", "/data/ada/cuda"},
                      {"env.LD_LIBRARY_PATH", "/data/ada/lib"},
                      {"gpu.0.process.0", "77 /data/carol/run 4"},
                      {"kernel_log.xid.0", "boot+12s 0000:01:00.0 31 name=carol_run node17"},
                      {"file.nccl_conf", "NCCL_OPEN=/data/ada"}}));
  EXPECT_EQ(named.value("toolkit.selected"), "/data/user-0/cuda");
  EXPECT_EQ(named.value("env.LD_LIBRARY_PATH"), "/data/user-0/lib");
  EXPECT_EQ(named.value("gpu.0.process.0"), "77 /data/user-3/run 4");
  EXPECT_EQ(named.value("kernel_log.xid.0"), "boot+12s 0000:01:00.0 31 name=user-3_run host-2");
  EXPECT_EQ(named.value("file.nccl_conf"), "NCCL_OPEN=/data/user-0") << "a rule reads the name";
}

TEST(Redact, OfThousandsOfNamesEachIsFoundAtOnce) {
  RedactNames names;
  for (int i = 0; i < 20000; ++i) names.users.push_back("person" + std::to_string(i));
  Redactor redactor(names);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a line of person19999 and nobody else; ";
  EXPECT_EQ(redactor.text(text).find("person"), std::string::npos);
}

TEST(Redact, HomesWithBlanksGoWhereverTheyStand) {
  Inventory inventory = world::holding({{"env.VIRTUAL_ENV", "/mnt/c/Users/Bob Jones/venv"},
                                        {"env.CUDA_HOME", "/mnt/c/Users/Bob Jones/My Files/cuda"},
                                        {"python.prefix", "/mnt/c/Users/Bob Jones/venv"},
                                        {"collected.root", "/mnt/c/Users/Bob Jones/im"}});
  inventory.absent("toolkit.by.CUDA_HOME", "environment",
                   "/mnt/c/Users/Bob Jones/My Files/cuda is no toolkit");
  const Inventory copy = Redactor().inventory(inventory);
  EXPECT_EQ(copy.value("env.VIRTUAL_ENV"), "home-folder-0");
  EXPECT_EQ(copy.value("env.CUDA_HOME"), "home-folder-1");
  EXPECT_EQ(copy.value("python.prefix"), "home-folder-0");
  EXPECT_EQ(copy.value("collected.root"), "home-folder-2");
  EXPECT_EQ(copy.find("toolkit.by.CUDA_HOME")->how, "home-folder-1 is no toolkit");
}

TEST(Redact, HomesInRelativePathsGo) {
  EXPECT_EQ(redacted(".." + home + "/bob/x.so ~alice/lib.so"), "relative-home-0/x.so relative-home-1/lib.so");
  EXPECT_EQ(redacted("-I" + home + "/bob/include:im" + home + "/alice"), "relative-home-0:relative-home-1");
  EXPECT_EQ(redacted("https://h.example" + home + "/bob/x y"), "https://address-0/home-folder-0 y");
  for (const char* text : {"~/x", "~50%", "1.0~rc1", "im/x", "a/b/c"}) EXPECT_EQ(redacted(text), text);
}

TEST(Redact, InfiniBandsAddressesAndBareGuids) {
  EXPECT_EQ(redacted("ib0 at 80:00:00:67:fe:80:00:00:00:00:00:00:24:8a:07:03:00:a4:5b:12 up"),
            "ib0 at guid-0 up");
  EXPECT_EQ(redacted("port 248a070300a45b12, 1234567890123456"), "port guid-0, 1234567890123456");
  EXPECT_EQ(redacted("GPU-" + uuid + "_x y_" + uuid), "gpu-uuid-0_x y_uuid-0");
}

TEST(Redact, PrivateRegistriesInVariables) {
  const Inventory copy = Redactor().inventory(
      world::holding({{"env.NVIDIA_A", "registry.corp.example:5000/team/img nvcr.io/nvidia/cuda:13.0"},
                      {"env.NVIDIA_B", "123456789012.dkr.ecr.us-east-1.amazonaws.com"},
                      {"env.NVIDIA_C", "arn:aws:iam::123456789012:role/x"},
                      {"env.NVIDIA_D", "libx.so.1/y 12.8/x"}}));
  EXPECT_EQ(copy.value("env.NVIDIA_A"), "registry-0/team/img nvcr.io/nvidia/cuda:13.0");
  EXPECT_EQ(copy.value("env.NVIDIA_B"), "registry-1");
  EXPECT_EQ(copy.value("env.NVIDIA_C"), "arn:aws:iam::account-0:role/x");
  EXPECT_EQ(copy.value("env.NVIDIA_D"), "libx.so.1/y 12.8/x");
}

TEST(Redact, ABeginningOfAUuidNamesTheSameGpu) {
  const Inventory copy =
      Redactor().inventory(world::holding({{"gpu.0.uuid", ("GPU-" + uuid).c_str()},
                                           {"gpu.1.uuid", ("GPU-12999999" + uuid.substr(8)).c_str()},
                                           {"env.CUDA_VISIBLE_DEVICES", "GPU-123456,GPU-aaaaaaaa"}}));
  EXPECT_EQ(copy.value("env.CUDA_VISIBLE_DEVICES"), "gpu-uuid-0,gpu-uuid-2");
}

TEST(Redact, SecretsOfOlderInventoriesGo) {
  const Inventory copy = Redactor().inventory(
      world::holding({{"kernel.command_line", "ro systemd.set_credential=pw:hunter3"},
                      {"env.NVIDIA_PROXY", "http://alice:hun,ter2@proxy.corp.example:3128"},
                      {"env.TRITON_X", "https://reg.example/x?token=s3cr3t"},
                      {"env.TF_PWD", "hunter3"},
                      {"process.env.TF_TOKEN_HOST", "set, value withheld"},
                      {"env.UCX_X", "bob:pa55@10.0.0.1"}}));
  EXPECT_EQ(copy.value("kernel.command_line"), "ro systemd.set_credential=withheld");
  EXPECT_EQ(copy.value("env.NVIDIA_PROXY"), "address-0");
  EXPECT_EQ(copy.value("env.TRITON_X"), "https://address-1/x?token=withheld");
  EXPECT_EQ(copy.value("env.TF_PWD"), "set, value withheld");
  EXPECT_EQ(copy.value("process.env.TF_TOKEN_HOST"), "set, value withheld");
  EXPECT_EQ(copy.value("env.UCX_X"), "withheld@ip-0");
  EXPECT_EQ(Redactor().inventory(copy), copy);
}

TEST(Redact, ProxiesGoFromCommandLinesAndErrors) {
  Inventory inventory = world::holding(
      {{"framework.torch.import.outcome",
        "ConnectionError: GET https://bob:s3cret@pypi.corp.example/x: proxy 10.4.4.4 at fe80::1"}});
  inventory.present("driver.history.0", "install x 1.2.3.4", "/var/log/apt/history.log",
                    "apt history: apt-get -o Acquire::http::Proxy=http://bob:s3cret@proxy.corp.example:3128 "
                    "-o Acquire::https::Proxy=http://10.4.4.4:3128 install nvidia-driver-535");
  inventory.present("library.x.0.version", "10.9.0.34", "x", "header, though its metadata says 10.9.0.33");
  inventory.unreadable("kernel_log.readable", "x", "a login at https://bob:s3cret@head01");
  const Inventory copy = Redactor().inventory(inventory);
  EXPECT_EQ(copy.value("framework.torch.import.outcome"),
            "ConnectionError: GET https://address-0/x: proxy ip-0 at ip-1");
  EXPECT_EQ(copy.find("driver.history.0")->how,
            "apt history: apt-get -o Acquire::http::Proxy=http://address-1 -o "
            "Acquire::https::Proxy=http://address-2 install nvidia-driver-535");
  EXPECT_EQ(copy.value("driver.history.0"), "install x 1.2.3.4");
  EXPECT_EQ(copy.find("library.x.0.version")->how, "header, though its metadata says 10.9.0.33")
      << "a version, not an address";
  EXPECT_EQ(copy.find("kernel_log.readable")->needs, "a login at https://address-3");
  EXPECT_EQ(Redactor().inventory(copy), copy);
}

TEST(Redact, NamesThatNameNobodyStay) {
  Redactor redactor(RedactNames{{"nvidia"}, {"ubuntu"}, {}});
  EXPECT_EQ(redactor.text("ubuntu 24.04, nvidia repository"), "ubuntu 24.04, nvidia repository");
}

TEST(Redact, NamesOfFilesBelowARoot) {
  FakeTree tree;
  tree.file("/etc/hostname", "node17.example.org\n");
  tree.file(
      "/etc/passwd",
      "root:x:0:0::" + root_home +
          ":/bin/sh\nalice:x:1001:1001::/data/people/alice:/bin/sh\n"
          "service:x:1002:1002::/usr/lib/service:/bin/false\nnobody:x:65534:65534::/data/none:/bin/false\n"
          "flat:x:1003:1003::/srv:/bin/sh\nshort:x:1004\n");
  const RedactNames names = names_below(Tree(tree.root()));
  EXPECT_EQ(names.hosts, (std::vector<std::string>{"node17.example.org", "node17"}));
  EXPECT_EQ(names.homes, (std::vector<std::string>{"/data/people/alice"}));
  EXPECT_EQ(names.users, (std::vector<std::string>{"alice", "flat"}));
  EXPECT_TRUE(names_below(Tree(FakeTree().root())).hosts.empty());
}

TEST(Redact, PathsAndNamesOfImages) {
  Redactor redactor(RedactNames{{}, {"alice"}, {}});
  EXPECT_EQ(redactor.path(home + "/alice/My Files/libx.so.12.8.4.1"), "home-folder-0/libx.so.12.8.4.1");
  EXPECT_EQ(redactor.path("/opt/x/libx.so.12.8.4.1"), "/opt/x/libx.so.12.8.4.1");
  EXPECT_EQ(redactor.image_name("registry.example.org:5000/team/x:latest"), "registry-0/team/x:latest");
  EXPECT_EQ(redactor.image_name("nvcr.io/nvidia/pytorch:25.08-py3"), "nvcr.io/nvidia/pytorch:25.08-py3");
  EXPECT_EQ(redactor.image_name("alice/tool:1"), "user-0/tool:1");
  EXPECT_EQ(redactor.image_name("ubuntu:24.04"), "ubuntu:24.04");
}

TEST(Redact, NamesGoAsWholeWords) {
  Redactor redactor(RedactNames{{"node17.example.org", "node17"}, {"alice"}, {}});
  EXPECT_EQ(redactor.text("node17.example.org kernel: node17: alice@node170 malice"),
            "host-0 kernel: host-1: user-0@node170 malice");
  EXPECT_EQ(redactor.text("NODE17 /dev/vg_node17/root /scratch/alice_data"),
            "host-1 /dev/vg_host-1/root /scratch/user-0_data");
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
  for (const char* piece :
       {"a:", "1.", "GPU-", "::", "/", "0x", "12345678-", "x:a:", "enx", "aaaaa:", "a:1."}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += piece;
    EXPECT_EQ(redacted(text).size(), text.size()) << piece;
  }
  redacted(std::string(200000, 'f'));
  redacted(std::string("\0\xff\xfe", 3));
  for (const char* piece : {"/ ", "/a +", "/a:", "/+", "(/", "/a "}) {
    std::string text = "/";
    for (int i = 0; i < 50000; ++i) text += piece;
    EXPECT_EQ(Redactor().value("env.NCCL_DIR", text), text) << piece;
  }
  std::string urls;
  for (int i = 0; i < 20000; ++i) urls += "a://?key=1 ";
  EXPECT_EQ(without_credentials(urls).find("key=1"), std::string::npos);
}

TEST(Redact, AHomeInARelativePathStaysRelative) {
  for (const std::string& list : {std::string("~alice/lib"), ".." + home + "/bob/lib:/usr/lib",
                                  std::string("/usr/lib:work/users/bob/lib")}) {
    const std::string value = Redactor().value("env.LD_LIBRARY_PATH", list);
    EXPECT_NE(value.find("relative-home-0"), std::string::npos) << value;
    EXPECT_EQ(value.find("bob"), std::string::npos) << value;
    EXPECT_EQ(value.find("alice"), std::string::npos) << value;
  }
}

TEST(Redact, AValueThatBeginsLikeTheLockedOneLeavesNoRest) {
  for (const auto& [key, locked, found] :
       {std::array{std::string("env.CUDA_HOME"), home + "/bob", home + "/bob/secret-project"},
        std::array{std::string("env.NCCL_SOCKET_ADDR"), std::string("10.0.0.1"), std::string("10.0.0.12")}}) {
    LockReport report;
    Drift drift;
    drift.key = key;
    drift.expected = locked;
    drift.found = found;
    drift.sentence = fmt::format("{} is locked to {} and is {}", key, locked, found);
    report.drifts = {drift};
    Redactor redactor;
    const std::string sentence = stack::redacted(report, redactor).drifts.front().sentence;
    EXPECT_EQ(sentence.find("secret"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("-02"), std::string::npos) << sentence;
  }
}

TEST(RedactScan, ReadsOnlyWithinTheText) {
  const std::string text = "GPU-" + uuid;
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_LE(scan::gpu_uuid(std::string_view(text).substr(0, length), 0), length);
  EXPECT_EQ(scan::gpu_uuid(text, 0), text.size());
  EXPECT_EQ(scan::ipv4("1.2.3.", 0), 0U);
  EXPECT_EQ(scan::mac("aa:bb:cc:dd:ee:f", 0), 0U);
}

}  // namespace
}  // namespace gpugauge::stack
