#include "stack/inventory/toolkits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/inventory/toolkits_headers.hpp"
#include "unit/stack/fake_loader_cache.hpp"
#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Headers, ADefinedNumberIsThatOfTheWholeName) {
  const std::string text =
      "/* CUDA_VERSION 1 */\n#define CUDA_VERSION_LONG 2\n#  define\tCUDA_VERSION   12080\r\n#define BAD "
      "13000L\n";
  EXPECT_EQ(defined_number(text, "CUDA_VERSION"), 12080);
  EXPECT_EQ(defined_number(text, "CUDA_VERSION_LONG"), 2);
  EXPECT_EQ(defined_number(text, "BAD"), std::nullopt);
  EXPECT_EQ(defined_number(text, "NONE"), std::nullopt);
  EXPECT_EQ(defined_number("#define X (Y * 2)\n", "X"), std::nullopt);
  EXPECT_EQ(defined_number("#define X", "X"), std::nullopt);
  EXPECT_EQ(defined_number("#define X 99999999999", "X"), std::nullopt);
  EXPECT_EQ(defined_number("#define X -1", "X"), std::nullopt);
  EXPECT_EQ(defined_number(std::string(200, ' ') + "\n#  define X 7", "X"), 7);
  // A step back to the line's beginning for each of four million names would take minutes.
  EXPECT_EQ(defined_number(std::string(4U << 20U, 'X'), "X"), std::nullopt);
}

TEST(Headers, VersionFilesOfToolkits) {
  EXPECT_EQ(version_in_txt("CUDA Version 10.1.243\n"), "10.1.243");
  EXPECT_EQ(version_in_txt("1.2.3"), "");
  EXPECT_EQ(version_in_json(R"({"cuda":{"name":"CUDA SDK","version":"12.8.1"}})"), "12.8.1");
  EXPECT_EQ(version_in_json(R"({"cuda":{"name":"CUDA SDK","version":"11.4.20210623"}})"), "11.4");
  EXPECT_EQ(version_in_json(R"({"cuda":{"version":12}})"), "");
  EXPECT_EQ(version_in_json(R"({"cuda":[]})"), "");
  EXPECT_EQ(version_in_json("{"), "");
  EXPECT_EQ(version_in_json(""), "");
}

TEST(Headers, LimitsOfHostCompilers) {
  // As in CUDA 13.0 and 12.4, and a header of CUDA 9.
  const auto new_one = limits_in_host_config(
      "#if (__GRCO_CLANG_COMPILER__ == 1) && ((__clang_major__ < 16) || (__clang_major__ > 19))\n"
      "#if !defined(__GNUC__) && !defined(_WIN32)\n#if __GNUC__ > 15\n"
      "#if (__clang_major__ >= 21) || (__clang_major__ < 3)\n");
  EXPECT_EQ(new_one.gcc, 15);
  EXPECT_EQ(new_one.clang, 20);
  const auto old_one = limits_in_host_config("#if __GNUC__ > 6\n#if defined(__clang_major__)\n");
  EXPECT_EQ(old_one.gcc, 6);
  EXPECT_EQ(old_one.clang, std::nullopt);
  EXPECT_EQ(limits_in_host_config("").gcc, std::nullopt);
  EXPECT_EQ(limits_in_host_config("#if __GNUC__ >= -2147483648").gcc, std::nullopt);
  EXPECT_EQ(limits_in_host_config("#if __GNUC__ > \n").gcc, std::nullopt);
}

/// A toolkit as NVIDIA's packages install it.
void install(FakeTree& tree, const std::string& path, const std::string& version, int number) {
  tree.file(path + "/version.json",
            fmt::format(R"({{"cuda":{{"name":"CUDA SDK","version":"{}"}}}})", version));
  tree.file(path + "/bin/nvcc",
            "\x7f"
            "ELF");
  const std::string target = path + "/targets/x86_64-linux";
  tree.file(target + "/include/cuda.h", fmt::format("#define CUDA_VERSION {}\n", number));
  tree.file(target + "/include/crt/host_config.h", "#if __GNUC__ > 14\n");
  tree.file(target + "/lib/libcudart.so." + version, "");
  tree.link(path + "/include", "targets/x86_64-linux/include");
  tree.link(path + "/lib64", "targets/x86_64-linux/lib");
}

TEST(Toolkits, EachIsFoundOnceWithItsNames) {
  FakeTree tree;
  install(tree, "/usr/local/cuda-12.8", "12.8.1", 12080);
  install(tree, "/usr/local/cuda-11.8", "11.8.0", 11080);
  tree.link("/usr/local/cuda", "/etc/alternatives/cuda");
  tree.link("/etc/alternatives/cuda", "/usr/local/cuda-12.8");
  tree.link("/usr/local/cuda-12", "cuda-12.8");
  tree.file("/usr/local/cuda-notes/readme", "");
  tree.link("/usr/local/cuda-loop", "cuda-loop");
  const Inventory inventory = collected(tree, collect_toolkits);
  EXPECT_THAT(inventory.children("toolkit"), ElementsAre("0", "1", "by", "selected", "selected_by"));
  EXPECT_EQ(inventory.value("toolkit.0.path"), "/usr/local/cuda-12.8");
  EXPECT_EQ(inventory.value("toolkit.0.names"), "/usr/local/cuda /etc/alternatives/cuda /usr/local/cuda-12");
  EXPECT_EQ(inventory.value("toolkit.0.version"), "12.8.1");
  EXPECT_EQ(inventory.value("toolkit.0.nvcc"), "12.8");
  EXPECT_EQ(inventory.value("toolkit.0.host_compiler_most"), "14");
  EXPECT_TRUE(is_absent(inventory, "toolkit.0.host_clang_most"));
  EXPECT_EQ(inventory.value("toolkit.1.version"), "11.8.0");
  EXPECT_EQ(inventory.value("toolkit.selected"), "/usr/local/cuda-12.8");
  EXPECT_EQ(inventory.value("toolkit.selected_by"), "/usr/local/cuda");
}

TEST(Toolkits, TheEnvironmentSelectsAndEachVariableIsTold) {
  FakeTree tree;
  install(tree, "/usr/local/cuda-12.8", "12.8.1", 12080);
  install(tree, "/usr/local/cuda-11.8", "11.8.0", 11080);
  install(tree, "/srv/own/cuda", "13.0.0", 13000);
  tree.file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  tree.file("/etc/ld.so.conf.d/cuda.conf",
            "# the administrator's\n/usr/local/cuda-12.8/targets/x86_64-linux/lib\n");
  tree.file("/etc/ld.so.conf.d/cuda.old", "/usr/local/cuda-11.8/lib64\n");
  const Inventory inventory = collected(tree, collect_toolkits,
                                        {{"CUDA_PATH", "/srv/own/cuda"},
                                         {"CUDA_ROOT", "/usr/local"},
                                         {"PATH", "/bin:/usr/local/cuda-11.8/bin"},
                                         {"LD_LIBRARY_PATH", "/usr/lib:/usr/local/cuda-11.8/lib64"}});
  EXPECT_EQ(inventory.value("toolkit.selected"), "/srv/own/cuda");
  EXPECT_EQ(inventory.value("toolkit.selected_by"), "CUDA_PATH");
  EXPECT_TRUE(is_absent(inventory, "toolkit.by.CUDA_HOME"));
  EXPECT_EQ(inventory.value("toolkit.by.CUDA_PATH"), "/srv/own/cuda");
  EXPECT_TRUE(is_absent(inventory, "toolkit.by.CUDA_ROOT"));
  EXPECT_EQ(how(inventory, "toolkit.by.CUDA_ROOT"), "/usr/local is no toolkit");
  EXPECT_EQ(inventory.value("toolkit.by.PATH"), "/usr/local/cuda-11.8");
  EXPECT_EQ(inventory.value("toolkit.by.LD_LIBRARY_PATH"), "/usr/local/cuda-11.8");
  EXPECT_EQ(inventory.value("toolkit.by.ld.so.conf"), "/usr/local/cuda-12.8");
  EXPECT_TRUE(is_absent(inventory, "toolkit.by./usr/local/cuda"));
  EXPECT_EQ(inventory.value("toolkit.2.path"), "/srv/own/cuda") << "found by its variable only";
}

TEST(Toolkits, AScriptBeforeNvccIsFollowed) {
  FakeTree tree;
  install(tree, "/usr/lib/nvidia-cuda-toolkit", "12.2.0", 12020);
  tree.file("/usr/bin/nvcc", "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n");
  const Inventory inventory = collected(tree, collect_toolkits, {{"PATH", "/usr/bin"}});
  EXPECT_EQ(inventory.value("toolkit.by.PATH"), "/usr/lib/nvidia-cuda-toolkit");
  EXPECT_EQ(inventory.value("toolkit.selected_by"), "PATH");
}

TEST(Toolkits, RuntimeOnlyAndDamagedOnesSayWhatTheyCan) {
  FakeTree tree;
  tree.file("/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudart.so.12.4.127", "");
  tree.file("/usr/local/cuda-10.1/version.txt", "CUDA Version 10.1.243");
  tree.file("/usr/local/cuda-9/bin/nvcc", "");
  tree.file("/usr/local/cuda-9/include/cuda.h", "#define CUDA_VERSION many\n");
  const Inventory inventory = collected(tree, collect_toolkits);
  EXPECT_EQ(inventory.value("toolkit.0.version"), "10.1.243");
  EXPECT_TRUE(is_absent(inventory, "toolkit.0.nvcc"));
  EXPECT_EQ(inventory.value("toolkit.1.version"), "12.4");
  EXPECT_EQ(inventory.value("toolkit.2.version"), "unknown");
  EXPECT_EQ(inventory.value("toolkit.2.nvcc"), "unknown");
  EXPECT_TRUE(is_absent(inventory, "toolkit.selected"));
}

TEST(Toolkits, NoneIsToldToo) {
  const FakeTree tree;
  const Inventory inventory = collected(tree, collect_toolkits);
  EXPECT_TRUE(inventory.children("toolkit.0").empty());
  EXPECT_TRUE(is_absent(inventory, "toolkit.selected"));
  EXPECT_TRUE(is_absent(inventory, "toolkit.by.PATH"));
  EXPECT_TRUE(is_absent(inventory, "host_compiler.gcc"));
  EXPECT_TRUE(is_absent(inventory, "forward_compat.in_use"));
}

TEST(Toolkits, OfCondaWheelsAndTheHpcSdk) {
  FakeTree tree;
  install(tree, "/opt/nvidia/hpc_sdk/Linux_x86_64/25.3/cuda/12.8", "12.8.1", 12080);
  tree.file("/opt/conda/targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 12060\n");
  tree.file("/opt/conda/bin/python3.12", "");
  tree.link("/opt/conda/bin/python3", "python3.12");
  tree.file("/opt/conda/conda-meta/python-3.12.4-h_1.json", "{}");
  tree.file("/opt/conda/lib/python3.12/site-packages/nvidia/cu13/include/cuda.h",
            "#define CUDA_VERSION 13000\n");
  tree.file("/opt/conda/lib/python3.12/site-packages/nvidia/cublas/include/cublas.h", "");
  const Inventory inventory = collected(tree, collect_toolkits, {{"CONDA_PREFIX", "/opt/conda"}});
  EXPECT_EQ(inventory.value("toolkit.0.path"), "/opt/nvidia/hpc_sdk/Linux_x86_64/25.3/cuda/12.8");
  EXPECT_EQ(inventory.value("toolkit.1.path"), "/opt/conda");
  EXPECT_EQ(inventory.value("toolkit.1.version"), "12.6");
  EXPECT_EQ(inventory.value("toolkit.2.path"), "/opt/conda/lib/python3.12/site-packages/nvidia/cu13");
  EXPECT_EQ(inventory.value("toolkit.2.version"), "13.0");
  EXPECT_FALSE(inventory.has("toolkit.3.path"));
}

TEST(HostCompilers, AreReadFromNamesFoldersAndPackages) {
  FakeTree tree;
  const Environment path{{"PATH", "/usr/bin"}};
  tree.file("/usr/bin/x86_64-linux-gnu-gcc-12", "");
  tree.link("/usr/bin/gcc-12", "x86_64-linux-gnu-gcc-12");
  tree.link("/usr/bin/gcc", "gcc-12");
  tree.file("/usr/lib/llvm-14/bin/clang", "");
  tree.link("/usr/bin/clang", "../lib/llvm-14/bin/clang");
  EXPECT_EQ(collected(tree, collect_toolkits, path).value("host_compiler.gcc"), "12");
  EXPECT_EQ(collected(tree, collect_toolkits, path).value("host_compiler.clang"), "14");
  tree.file("/var/lib/dpkg/status",
            "Package: gcc-12\nStatus: install ok installed\nVersion: 12.2.0-14+deb12u1\n\n"
            "Package: clang-14\nStatus: install ok installed\nVersion: 1:14.0.6-12\n");
  EXPECT_EQ(collected(tree, collect_toolkits, path).value("host_compiler.gcc"), "12.2.0");
  EXPECT_EQ(collected(tree, collect_toolkits, path).value("host_compiler.clang"), "14.0.6");
}

TEST(HostCompilers, WithoutANumberInTheNameTheFoldersTell) {
  FakeTree tree;
  tree.file("/usr/bin/gcc", "");
  tree.file("/usr/lib/gcc/x86_64-redhat-linux/11/cc1", "");
  const Environment path{{"PATH", "/usr/bin"}};
  EXPECT_EQ(collected(tree, collect_toolkits, path).value("host_compiler.gcc"), "11");
  tree.file("/usr/lib/gcc/x86_64-redhat-linux/12/cc1", "");
  EXPECT_EQ(collected(tree, collect_toolkits, path).value("host_compiler.gcc"), "unknown");
  tree.file("/opt/rh/gcc-toolset-13/root/usr/bin/gcc", "");
  EXPECT_EQ(collected(tree, collect_toolkits, {{"PATH", "/opt/rh/gcc-toolset-13/root/usr/bin:/usr/bin"}})
                .value("host_compiler.gcc"),
            "13");
}

TEST(ForwardCompatibility, IsInUseWhenTheLoaderTakesItsLibcuda) {
  FakeTree tree;
  install(tree, "/usr/local/cuda-12.8", "12.8.1", 12080);
  tree.link("/usr/local/cuda", "cuda-12.8");
  tree.file("/usr/local/cuda-12.8/compat/libcuda.so.570.86.15", "");
  tree.link("/usr/local/cuda-12.8/compat/libcuda.so.1", "libcuda.so.570.86.15");
  tree.file("/usr/lib64/libcuda.so.535.183.06", "");
  tree.link("/usr/lib64/libcuda.so.1", "libcuda.so.535.183.06");
  const Inventory unused = collected(tree, collect_toolkits);
  EXPECT_EQ(unused.value("forward_compat.0.path"), "/usr/local/cuda-12.8/compat");
  EXPECT_EQ(unused.value("forward_compat.0.version"), "570.86.15");
  EXPECT_FALSE(unused.has("forward_compat.1.path"));
  EXPECT_EQ(unused.value("forward_compat.in_use"), "no");
  const Inventory used = collected(tree, collect_toolkits, {{"LD_LIBRARY_PATH", "/usr/local/cuda/compat"}});
  EXPECT_EQ(used.value("forward_compat.in_use"), "yes");
}

TEST(LoaderConfiguration, FollowsIncludesOnce) {
  FakeTree tree;
  tree.file("/etc/ld.so.conf",
            "include /etc/ld.so.conf.d/*.conf\ninclude /etc/ld.so.conf\n/opt/lib # mine\n");
  tree.file("/etc/ld.so.conf.d/a.conf", "/a/lib/\n\n  /b/lib\nrelative\nhwcap 0 nosegneg\n");
  EXPECT_THAT(configured_loader_folders(Tree(tree.root())), ElementsAre("/a/lib", "/b/lib", "/opt/lib"));
}

}  // namespace
}  // namespace gpugauge::stack
