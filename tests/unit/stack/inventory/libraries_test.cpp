#include "stack/inventory/libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/stack/fake_loader_cache.hpp"
#include "unit/stack/inventory/collected.hpp"
#include "unit/stack/plan/fake_binary.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::string_literals;

std::string name_of(const std::string& file) {
  const auto library = library_of_file(file);
  return library ? library->name : "";
}

TEST(LibraryNames, AreThoseOfTheFiles) {
  EXPECT_EQ(name_of("libcublas.so.12.8.4.1"), "cublas");
  EXPECT_EQ(name_of("libcublasLt.so.12"), "cublasLt");
  EXPECT_EQ(name_of("libcudnn.so.9"), "cudnn");
  EXPECT_EQ(name_of("libcudnn_engines_runtime_compiled.so.9"), "cudnn_engines_runtime_compiled");
  EXPECT_EQ(name_of("libcudnn_ops_infer.so.8"), "cudnn_ops_infer");
  EXPECT_EQ(name_of("libnccl-net.so"), "nccl_net");
  EXPECT_EQ(name_of("libnccl-net-ofi.so.0"), "nccl_net");
  EXPECT_EQ(name_of("libnvJitLink.so.13"), "nvjitlink");
  for (const char* const other :
       {"libcublas.so.12.debug", "libcublas.a", "libcublasXt.so.12", "libnvrtc.alt.so.13", "libcuda.so.1",
        "libcublas.so.", "libcublas.sox", "cublas.so.12", "", "libcudnn_.so.9", "libcudnn_a b.so"}) {
    EXPECT_EQ(name_of(other), "") << other;
  }
  EXPECT_EQ(library_of_file("libcudart.so.12.8.90")->numbers, "12.8.90");
}

VersionFact version(FakeTree& tree, const std::string& path, const std::string& bytes) {
  tree.file(path, bytes);
  const std::string file = path.substr(path.find_last_of('/') + 1);
  return version_of_file(Tree(tree.root()), *library_of_file(file), path);
}

std::string with_function(const std::string& name, const std::string& code) {
  FakeElf elf;
  elf.sections.push_back({".text", code});
  elf.symbols({{name, ".text", 0, code.size()}});
  return elf.bytes();
}

std::string with_variable(const std::string& name, std::int32_t value) {
  FakeElf elf;
  elf.sections.push_back({".rodata", bytes_of(value)});
  elf.symbols({{name, ".rodata", 0, 4}});
  return elf.bytes();
}

/// test rdi,rdi; je; mov dword [rdi],number; xor eax,eax; ret
std::string storing(std::int32_t number) {
  return "\x48\x85\xff\x74\x09\xc7\x07"s + bytes_of(number) + "\x31\xc0\xc3"s;
}

TEST(LibraryVersion, OfTheFileNameFirst) {
  FakeTree tree;
  EXPECT_EQ(version(tree, "/lib/libnccl.so.2.27.3", "").value, "2.27.3");
  EXPECT_EQ(version(tree, "/lib/libnccl.so.2.27.3", "").how, "file name");
  EXPECT_FALSE(version(tree, "/lib/libcudart.so.11.0", "").known)
      << "two numbers are the name that is asked for";
  EXPECT_FALSE(version(tree, "/lib/libnccl-net.so.0.0.0", "").known) << "libtool's numbers";
}

TEST(LibraryVersion, OfWhatTheFileSays) {
  FakeTree tree;
  EXPECT_EQ(version(tree, "/a/libnccl.so.2", with_function("ncclGetVersion", storing(22703))).value,
            "2.27.3");
  EXPECT_EQ(version(tree, "/a/libcufft.so.12", with_function("cufftGetVersion", storing(12000))).value,
            "12.0.0");
  EXPECT_EQ(version(tree, "/a/libcurand.so.10", with_function("curandGetVersion", storing(10310))).value,
            "10.3.10");
  EXPECT_EQ(version(tree, "/a/libcusolver.so.11", with_function("cusolverGetVersion", storing(11703))).value,
            "11.7.3");
  EXPECT_EQ(version(tree, "/a/libcupti.so.13", with_function("cuptiGetVersion", storing(130001))).value,
            "13.0.1");
  EXPECT_EQ(version(tree, "/a/libcupti.so.12", with_function("cuptiGetVersion", storing(26))).value, "26");
  EXPECT_EQ(version(tree, "/a/libcudart.so.12", with_function("any", storing(12080))).value, "12.8");
  const std::string major_minor = "\xc7\x07\x0c\x00\x00\x00\xc7\x06\x09\x00\x00\x00\x31\xc0\xc3"s;
  EXPECT_EQ(version(tree, "/a/libnvrtc.so.12", with_function("nvrtcVersion", major_minor)).value, "12.9");
  EXPECT_EQ(
      version(tree, "/a/libnvinfer.so.10", with_function("getInferLibVersion", "\xb8\xe4\x8a\x01\x00\xc3"s))
          .value,
      "10.10.92");
  FakeElf nccl;
  nccl.sections.push_back({".rodata", "x\0NCCL version \0NCCL version 2.28.9+cuda13.0\0"s});
  EXPECT_EQ(version(tree, "/a/libnccl.so.2", nccl.bytes()).value, "2.28.9+cuda13.0");
}

TEST(LibraryVersion, OfCudnnItsVariables) {
  FakeTree tree;
  EXPECT_EQ(version(tree, "/a/libcudnn_ops.so.9", with_variable("cudnn_ops_infer_version", 0x91300)).value,
            "9.19.0");
  EXPECT_EQ(version(tree, "/a/libcudnn_graph.so.9", with_variable("cudnn_graph_version", 0x90a02)).value,
            "9.10.2");
  const VersionFact main = version(tree, "/a/libcudnn.so.9", FakeElf{}.bytes());
  EXPECT_EQ(main.value, "9.10.2");
  EXPECT_THAT(main.how, HasSubstr("libcudnn_graph beside it"));
  EXPECT_FALSE(version(tree, "/b/libcudnn.so.9", FakeElf{}.bytes()).known) << "no graph library beside it";
  EXPECT_FALSE(version(tree, "/a/libcudnn_graph.so.9", with_variable("cudnn_graph_version", 5)).known);
}

TEST(LibraryVersion, InAFingerprint) {
  FakeTree tree;
  tree.file("/a/libcublas.so.13.1.0.3", FakeElf{}.bytes());
  EXPECT_EQ(library_version(tree.at("/a/libcublas.so.13.1.0.3")), "13.1.0.3");
  tree.file("/a/libcudnn_graph.so.9", with_variable("cudnn_graph_version", 0x90a02));
  tree.file("/a/libcudnn.so.9", FakeElf{}.bytes());
  tree.file("/b/libcudnn.so.9", FakeElf{}.bytes());
  tree.file("/b/libcudnn.so", "");
  EXPECT_EQ(library_version(tree.at("/a/libcudnn.so.9")), "9.10.2");
  EXPECT_EQ(library_version(tree.at("/b/libcudnn.so.9")), "9") << "nothing beside it tells";
  EXPECT_EQ(library_version(tree.at("/b/libcudnn.so")), "unknown");
}

TEST(LibraryVersion, OfTheHeaderBesideIt) {
  FakeTree tree;
  const std::string header =
      "#define CUBLAS_VER_MAJOR 12\n#define CUBLAS_VER_MINOR 8\n#define CUBLAS_VER_PATCH 4\n#define "
      "CUBLAS_VER_BUILD 1\n";
  tree.file("/t/include/cublas_api.h", header);
  EXPECT_EQ(version(tree, "/t/lib64/libcublas.so.12", "").value, "12.8.4.1");
  EXPECT_EQ(version(tree, "/t/lib64/libcublas.so.12", "").how, "/t/include/cublas_api.h");
  EXPECT_EQ(version(tree, "/t/lib64/libcublasLt.so.12", "").value, "12.8.4.1");
  EXPECT_FALSE(version(tree, "/t/targets/x/lib/libcublas.so.12", "").known)
      << "another toolkit's include folder";
  tree.file("/t/include/cufft.h",
            "#define CUFFT_VER_MAJOR 12\n#define CUFFT_VER_MINOR 0\n#define CUFFT_VER_PATCH 0\n#define "
            "CUFFT_VER_BUILD 61\n");
  const VersionFact agree =
      version(tree, "/t/lib64/libcufft.so.12", with_function("cufftGetVersion", storing(12000)));
  EXPECT_EQ(agree.value, "12.0.0.61");
  EXPECT_THAT(agree.how, HasSubstr("agrees"));
  const VersionFact differ =
      version(tree, "/t/lib64/libcufft.so.12", with_function("cufftGetVersion", storing(11300)));
  EXPECT_EQ(differ.value, "11.3.0") << "the file itself is right";
  EXPECT_THAT(differ.how, HasSubstr("but /t/include/cufft.h says 12.0.0.61"));
}

TEST(LibraryVersion, UnknownSaysTheBuildId) {
  FakeTree tree;
  const VersionFact nothing = version(tree, "/a/libcublas.so.12", "");
  EXPECT_EQ(nothing.value, "unknown");
  EXPECT_EQ(nothing.how, "it does not say, and has no build id");
  EXPECT_FALSE(nothing.known);
}

TEST(Libraries, TheLoadersPickComesFirstAndCopiesAreNamedOnce) {
  FakeTree tree;
  tree.file("/usr/local/cuda-12.8/lib64/libcublas.so.12.8.4.1", "");
  tree.link("/usr/local/cuda-12.8/lib64/libcublas.so.12", "libcublas.so.12.8.4.1");
  tree.link("/usr/local/cuda-12.8/lib64/libcublas.so", "libcublas.so.12");
  tree.file("/usr/local/cuda-12.8/bin/nvcc", "");
  tree.link("/usr/local/cuda", "cuda-12.8");
  tree.file("/usr/lib64/libcublas.so.11.11.3.6", "");
  tree.link("/usr/lib64/libcublas.so.11", "libcublas.so.11.11.3.6");
  tree.file("/opt/own/libcublas.so.12.4.5.8", "");
  tree.link("/opt/own/libcublas.so.12", "libcublas.so.12.4.5.8");
  tree.file("/etc/ld.so.cache", loader_cache({{own_abi, "libcublas.so.12", "/opt/own/libcublas.so.12"},
                                              {own_abi, "libcublas.so.11", "/usr/lib64/libcublas.so.11"},
                                              {own_abi, "libcublas.so.10", "/gone/libcublas.so.10"}}));
  const Inventory inventory = collected(tree, collect_libraries);
  EXPECT_THAT(inventory.children("library.cublas"), ElementsAre("0", "1", "2", "picked"));
  EXPECT_EQ(inventory.value("library.cublas.0.path"), "/opt/own/libcublas.so.12.4.5.8");
  EXPECT_EQ(inventory.value("library.cublas.0.version"), "12.4.5.8");
  EXPECT_EQ(inventory.value("library.cublas.0.soname"), "libcublas.so.12");
  EXPECT_EQ(inventory.value("library.cublas.0.origin"), "loader cache");
  EXPECT_EQ(inventory.value("library.cublas.1.path"), "/usr/lib64/libcublas.so.11.11.3.6");
  EXPECT_EQ(inventory.value("library.cublas.2.path"), "/usr/local/cuda-12.8/lib64/libcublas.so.12.8.4.1");
  EXPECT_EQ(inventory.value("library.cublas.2.origin"), "toolkit");
  EXPECT_EQ(inventory.value("library.cublas.picked"), "/opt/own/libcublas.so.12.4.5.8");
  EXPECT_TRUE(is_absent(inventory, "library.nccl.picked"));
  const Inventory changed =
      collected(tree, collect_libraries, {{"LD_LIBRARY_PATH", "/nowhere:/usr/local/cuda/lib64"}});
  EXPECT_EQ(changed.value("library.cublas.0.path"), "/usr/local/cuda-12.8/lib64/libcublas.so.12.8.4.1");
  EXPECT_EQ(changed.value("library.cublas.0.origin"), "LD_LIBRARY_PATH");
  EXPECT_EQ(changed.value("library.cublas.1.path"), "/usr/lib64/libcublas.so.11.11.3.6");
}

TEST(Libraries, TheNewestNameIsPickedFirst) {
  FakeTree tree;
  for (const char* const file :
       {"/usr/lib64/libcudart.so.9.2", "/usr/lib64/libcudart.so.12", "/usr/lib64/libcudart.so.11.0"})
    tree.file(file, "");
  const Inventory inventory = collected(tree, collect_libraries);
  EXPECT_EQ(inventory.value("library.cudart.0.soname"), "libcudart.so.12");
  EXPECT_EQ(inventory.value("library.cudart.0.origin"), "standard folder");
  EXPECT_EQ(inventory.value("library.cudart.picked"), "/usr/lib64/libcudart.so.12");
}

TEST(Libraries, APluginNeedsNoNumber) {
  FakeTree tree;
  tree.file("/opt/aws/lib/libnccl-net.so", "");
  const Inventory inventory = collected(tree, collect_libraries, {{"LD_LIBRARY_PATH", "/opt/aws/lib"}});
  EXPECT_EQ(inventory.value("library.nccl_net.picked"), "/opt/aws/lib/libnccl-net.so");
  EXPECT_EQ(inventory.value("library.nccl_net.0.version"), "unknown");
}

TEST(Libraries, OfWheelsAndPackagesTheirMetadataTells) {
  FakeTree tree;
  const std::string site = "/opt/venv/lib/python3.11/site-packages";
  tree.file("/opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  tree.file("/usr/bin/python3.11", "");
  tree.link("/opt/venv/bin/python3", "/usr/bin/python3.11");
  tree.file(site + "/nvidia/cudnn/lib/libcudnn.so.9", "");
  tree.file(site + "/nvidia_cudnn_cu12-9.10.2.21.dist-info/METADATA",
            "Name: nvidia-cudnn-cu12\nVersion: 9.10.2.21\n");
  tree.file(site + "/nvidia_cudnn_cu12-9.10.2.21.dist-info/RECORD",
            "nvidia/cudnn/lib/libcudnn.so.9,sha256=x,1\n");
  tree.file("/usr/lib64/libnccl.so.2", "");
  tree.file("/var/lib/dpkg/status",
            "Package: libnccl2\nStatus: install ok installed\nVersion: 2.27.3-1+cuda12.9\n");
  tree.file("/var/lib/dpkg/info/libnccl2:amd64.list", "/.\n/usr/lib64\n/usr/lib64/libnccl.so.2\n");
  const Inventory inventory = collected(tree, collect_libraries, {{"VIRTUAL_ENV", "/opt/venv"}});
  EXPECT_EQ(inventory.value("library.cudnn.0.version"), "9.10.2.21");
  EXPECT_EQ(how(inventory, "library.cudnn.0.version"), "wheel nvidia-cudnn-cu12");
  EXPECT_EQ(inventory.value("library.cudnn.0.origin"), "wheel");
  EXPECT_TRUE(is_absent(inventory, "library.cudnn.picked"))
      << "no program finds it without a search path of its own";
  EXPECT_EQ(inventory.value("library.nccl.0.version"), "2.27.3-1+cuda12.9");
  EXPECT_EQ(how(inventory, "library.nccl.0.version"), "package libnccl2");
}

TEST(Libraries, OfAWheelThatIsNotOfTheActivePythonTheMetadataBesideItTells) {
  FakeTree tree;
  const std::string site = "/srv/env/lib/python3.11/site-packages";
  const std::string folder = site + "/nvidia/cublas/lib";
  tree.file(folder + "/libcublas.so.13", "");
  tree.file(site + "/nvidia_cublas-13.1.0.3.dist-info/METADATA", "Name: nvidia-cublas\nVersion: 13.1.0.3\n");
  tree.file(site + "/nvidia_cublas-13.1.0.3.dist-info/RECORD",
            "nvidia/cublas/lib/libcublas.so.13,sha256=x,1\n");
  const Inventory inventory = collected(tree, collect_libraries, {{"LD_LIBRARY_PATH", folder}});
  EXPECT_EQ(inventory.value("library.cublas.picked"), folder + "/libcublas.so.13");
  EXPECT_EQ(inventory.value("library.cublas.0.version"), "13.1.0.3");
  EXPECT_EQ(how(inventory, "library.cublas.0.version"), "wheel nvidia-cublas");
}

TEST(Libraries, TheCudaOfALibraryIsItsPackagesAndNotItsFileNames) {
  FakeTree tree;
  tree.file("/usr/lib64/libnccl.so.2.28.9", "");
  tree.link("/usr/lib64/libnccl.so.2", "libnccl.so.2.28.9");
  tree.file("/usr/lib64/libcudnn.so.9.17.0", "");
  tree.link("/usr/lib64/libcudnn.so.9", "libcudnn.so.9.17.0");
  tree.file("/usr/lib64/libcublas.so.12.8.4.1", "");
  tree.file("/var/lib/dpkg/status",
            "Package: libnccl2\nStatus: install ok installed\nVersion: 2.28.9-1+cuda13.0\n\n"
            "Package: libcudnn9-cuda-13\nStatus: install ok installed\nVersion: 9.17.0.29-1\n");
  tree.file("/var/lib/dpkg/info/libnccl2:amd64.list",
            "/usr/lib64/libnccl.so.2.28.9\n/usr/lib64/libnccl.so.2\n");
  tree.file("/var/lib/dpkg/info/libcudnn9-cuda-13.list", "/usr/lib64/libcudnn.so.9.17.0\n");
  const Inventory inventory = collected(tree, collect_libraries);
  EXPECT_EQ(inventory.value("library.nccl.0.version"), "2.28.9");
  EXPECT_EQ(inventory.value("library.nccl.0.cuda"), "13.0");
  EXPECT_EQ(how(inventory, "library.nccl.0.cuda"), "package libnccl2 2.28.9-1+cuda13.0");
  EXPECT_EQ(inventory.value("library.cudnn.0.cuda"), "13");
  EXPECT_FALSE(inventory.has("library.cublas.0.cuda"));
}

TEST(Libraries, HostileTreesOnlyYieldLess) {
  FakeTree tree;
  tree.link("/usr/lib64/libcublas.so.12", "libcublas.so.12");
  tree.link("/usr/lib64/libnccl.so.2", "/gone");
  tree.file("/usr/lib64/libcudnn.so.9/inside", "");
  tree.file("/usr/lib64/libcufft.so.11", std::string(100, '\xff'));
  tree.file("/etc/ld.so.cache", std::string("glibc-ld.so.cache1.1") + std::string(5000, '\x7f'));
  const Inventory inventory =
      collected(tree, collect_libraries, {{"LD_LIBRARY_PATH", ":::relative:/usr/lib64/libcufft.so.11"}});
  EXPECT_TRUE(is_absent(inventory, "library.cublas.picked"));
  EXPECT_TRUE(is_absent(inventory, "library.nccl.picked"));
  EXPECT_TRUE(is_absent(inventory, "library.cudnn.picked"));
  EXPECT_EQ(inventory.value("library.cufft.0.version"), "unknown");
}

}  // namespace
}  // namespace gpugauge::stack
