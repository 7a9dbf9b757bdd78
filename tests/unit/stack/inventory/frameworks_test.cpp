#include "stack/inventory/frameworks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/stack/inventory/collected.hpp"
#include "unit/stack/plan/fake_binary.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A virtual environment with packages in it.
class Site {
 public:
  Site() {
    tree.file("/opt/venv/bin/python3", "");
    tree.file("/opt/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    std::filesystem::create_directories(tree.at(folder));
  }
  void file(const std::string& name, const std::string& text) { tree.file(folder + "/" + name, text); }
  void install(const std::string& name, const std::string& version, const std::string& more = "") {
    std::string stem = name;
    std::replace(stem.begin(), stem.end(), '-', '_');
    file(stem + "-" + version + ".dist-info/METADATA",
         "Name: " + name + "\nVersion: " + version + "\n" + more + "\n");
  }
  Inventory inventory() const { return collected(tree, collect_frameworks, {}, "/opt/venv"); }

  FakeTree tree;
  const std::string folder = "/opt/venv/lib/python3.11/site-packages";
};

std::string library_with(const std::vector<std::string>& containers, const std::string& needed = "") {
  FakeElf elf;
  std::string code;
  for (const std::string& container : containers) code += container;
  elf.sections.push_back({".nv_fatbin", code});
  if (!needed.empty()) elf.dynamic({{DT_NEEDED, needed}});
  return elf.bytes();
}

TEST(PythonText, IsReadAndNotRun) {
  const std::string text =
      "from typing import Optional\n__version__ = '2.8.0+cu128'\ndebug = False\n"
      "cuda: Optional[str] = '12.8'\nhip: Optional[str] = None\ncudart_version = 12080 # here\nname == "
      "'x'\nbad = 'open\n";
  EXPECT_EQ(assigned_in_python(text, "__version__"), "2.8.0+cu128");
  EXPECT_EQ(assigned_in_python(text, "cuda"), "12.8");
  EXPECT_EQ(assigned_in_python(text, "hip"), "");
  EXPECT_EQ(assigned_in_python(text, "debug"), "False");
  EXPECT_EQ(assigned_in_python(text, "cudart_version"), "12080");
  EXPECT_EQ(assigned_in_python(text, "name"), "");
  EXPECT_EQ(assigned_in_python(text, "bad"), "");
  EXPECT_EQ(assigned_in_python(text, "missing"), "");
  const std::string pairs =
      "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', \"compute_90\"]), "
      "('cuda_version', '12.5.1'), ('is_cuda_build', True), ('empty', [])])";
  EXPECT_EQ(paired_in_python(pairs, "cuda_version"), "12.5.1");
  EXPECT_EQ(paired_in_python(pairs, "is_cuda_build"), "True");
  EXPECT_EQ(paired_in_python(pairs, "version"), "");
  EXPECT_THAT(list_in_python(pairs, "cuda_compute_capabilities"), ElementsAre("sm_60", "compute_90"));
  EXPECT_THAT(list_in_python(pairs, "empty"), IsEmpty());
  EXPECT_THAT(list_in_python(pairs, "cuda_version"), IsEmpty());
  EXPECT_THAT(list_in_python("'k', ['a", "k"), ElementsAre(""));
}

TEST(Frameworks, TorchWithCuda) {
  Site site;
  site.install("torch", "2.8.0",
               "Requires-Dist: nvidia-cudnn-cu12==9.10.2.21; platform_system == \"Linux\"\n"
               "Requires-Dist: nvidia-nccl-cu12==2.27.3; platform_system == \"Linux\"\n");
  site.install("nvidia-cudnn-cu12", "9.10.2.21");
  site.file("torch/version.py",
            "__version__ = '2.8.0+cu128'\ncuda: Optional[str] = '12.8'\nhip: Optional[str] = None\n");
  const std::string usual = fatbin({machine_code(80), machine_code(90), ptx_code(90, 87)});
  site.file("torch/lib/libtorch_cuda.so", library_with({usual, usual, fatbin({machine_code(90, 0x108011)})}));
  const Inventory inventory = site.inventory();
  EXPECT_EQ(inventory.value("python.path"), "/opt/venv/bin/python3");
  EXPECT_EQ(inventory.value("python.version"), "3.11.2");
  EXPECT_EQ(inventory.value("framework.torch.version"), "2.8.0+cu128");
  EXPECT_EQ(inventory.value("framework.torch.package"), "torch");
  EXPECT_EQ(inventory.value("framework.torch.package_version"), "2.8.0") << "what pip compares with";
  EXPECT_EQ(inventory.value("framework.torch.build"), "cuda");
  EXPECT_EQ(inventory.value("framework.torch.cuda"), "12.8");
  EXPECT_EQ(inventory.value("framework.torch.cudnn"), "9.10.2.21");
  EXPECT_EQ(inventory.value("framework.torch.nccl"), "2.27.3");
  EXPECT_EQ(inventory.value("framework.torch.arch_list"), "sm_80 sm_90 compute_90");
  EXPECT_EQ(inventory.find("framework.torch.installed"), nullptr);
  EXPECT_EQ(inventory.value("wheel.nvidia-cudnn-cu12.version"), "9.10.2.21");
  EXPECT_TRUE(is_absent(inventory, "framework.jax.version"));
}

TEST(Frameworks, TorchForTheProcessorOnlyAndForRocm) {
  Site site;
  site.install("torch", "2.6.0+cpu");
  site.file("torch/version.py",
            "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n");
  EXPECT_EQ(site.inventory().value("framework.torch.build"), "cpu");
  EXPECT_EQ(site.inventory().find("framework.torch.cuda"), nullptr);
  EXPECT_EQ(site.inventory().find("framework.torch.package_version"), nullptr) << "the metadata says as much";
  site.file("torch/version.py", "__version__ = '2.6.0+rocm6.2'\ncuda = None\nhip = '6.2.41134'\n");
  EXPECT_EQ(site.inventory().value("framework.torch.build"), "rocm");
}

TEST(Frameworks, WithoutItsVersionFileTheMetadataAnswers) {
  Site site;
  site.install("torch", "2.5.1+cu124");
  EXPECT_EQ(site.inventory().value("framework.torch.build"), "cuda");
  EXPECT_EQ(site.inventory().value("framework.torch.cuda"), "12.4");
  EXPECT_EQ(how(site.inventory(), "framework.torch.cuda"), "local part of the version");
  Site plain;
  plain.install("torch", "2.5.1");
  EXPECT_EQ(plain.inventory().value("framework.torch.build"), "unknown");
}

TEST(Frameworks, WheelsBeyondTheMostAreCounted) {
  Site site;
  for (int i = 0; i < 402; ++i) site.install("nvidia-part" + std::to_string(1000 + i), "1.0");
  const Inventory inventory = site.inventory();
  EXPECT_EQ(inventory.value("wheels.left_out"), "2");
  EXPECT_EQ(inventory.value("wheel.nvidia-part1399.version"), "1.0");
  EXPECT_EQ(inventory.find("wheel.nvidia-part1400.version"), nullptr);
}

TEST(Frameworks, TwoVersionsOfOnePackageAreSaid) {
  Site site;
  site.install("torch", "2.7.1");
  site.install("torch", "2.10.0");
  site.install("nvidia-nccl-cu12", "2.26.2");
  site.install("nvidia-nccl-cu12", "2.27.3");
  EXPECT_EQ(site.inventory().value("framework.torch.version"), "2.10.0");
  EXPECT_EQ(site.inventory().value("framework.torch.installed"), "torch 2.10.0, torch 2.7.1");
  EXPECT_EQ(site.inventory().value("wheel.nvidia-nccl-cu12.version"), "2.27.3");
  EXPECT_EQ(site.inventory().value("wheel.nvidia-nccl-cu12.installed"),
            "nvidia-nccl-cu12 2.27.3, nvidia-nccl-cu12 2.26.2");
  site.file("torch/version.py", "__version__ = '2.7.1+cu126'\ncuda = '12.6'\n");
  EXPECT_EQ(site.inventory().value("framework.torch.version"), "2.7.1+cu126") << "the code that is there";
  EXPECT_EQ(how(site.inventory(), "framework.torch.version"), "version.py, though its metadata says 2.10.0");
}

TEST(Frameworks, TwoPackagesThatOverwriteEachOtherAreSaid) {
  Site site;
  site.install("onnxruntime", "1.22.0");
  site.install("onnxruntime-gpu", "1.20.1");
  site.file("onnxruntime/capi/build_and_package_info.py",
            "package_name = 'onnxruntime'\n__version__ = '1.22.0'\n");
  const Inventory inventory = site.inventory();
  EXPECT_EQ(inventory.value("framework.onnxruntime.package"), "onnxruntime");
  EXPECT_EQ(inventory.find("framework.onnxruntime.package_version"), nullptr);
  EXPECT_EQ(inventory.value("framework.onnxruntime.build"), "cpu");
  EXPECT_EQ(inventory.value("framework.onnxruntime.installed"), "onnxruntime 1.22.0, onnxruntime-gpu 1.20.1");
}

TEST(Frameworks, OnnxRuntimeWithCuda) {
  Site site;
  site.install("onnxruntime-gpu", "1.22.0");
  site.file("onnxruntime/capi/build_and_package_info.py",
            "package_name = 'onnxruntime-gpu'\n__version__ = '1.22.0'\ncuda_version = '12.8'\n");
  site.file("onnxruntime/capi/libonnxruntime_providers_cuda.so",
            library_with({fatbin({machine_code(75), ptx_code(90, 80)})}, "libcudart.so.12"));
  const Inventory inventory = site.inventory();
  EXPECT_EQ(inventory.value("framework.onnxruntime.version"), "1.22.0");
  EXPECT_EQ(inventory.value("framework.onnxruntime.package"), "onnxruntime-gpu");
  EXPECT_EQ(inventory.value("framework.onnxruntime.build"), "cuda");
  EXPECT_EQ(inventory.value("framework.onnxruntime.cuda"), "12.8");
  EXPECT_EQ(inventory.value("framework.onnxruntime.arch_list"), "sm_75 compute_90");
}

TEST(Frameworks, TensorFlow) {
  Site site;
  site.install("tensorflow", "2.19.0");
  site.file("tensorflow/python/platform/build_info.py",
            "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), "
            "('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True), ('is_rocm_build', "
            "False)])\n");
  const Inventory inventory = site.inventory();
  EXPECT_EQ(inventory.value("framework.tensorflow.build"), "cuda");
  EXPECT_EQ(inventory.value("framework.tensorflow.cuda"), "12.5.1");
  EXPECT_EQ(inventory.value("framework.tensorflow.cudnn"), "9");
  EXPECT_EQ(inventory.value("framework.tensorflow.arch_list"), "sm_60 sm_90 compute_90")
      << "to TensorFlow's configuration compute_90 is machine code and PTX";
  Site cpu;
  cpu.install("tensorflow-cpu", "2.19.0");
  EXPECT_EQ(cpu.inventory().value("framework.tensorflow.package"), "tensorflow-cpu");
  EXPECT_EQ(cpu.inventory().value("framework.tensorflow.build"), "cpu");
}

TEST(Frameworks, Jax) {
  Site site;
  site.install("jax", "0.6.2");
  EXPECT_EQ(site.inventory().value("framework.jax.build"), "unknown") << "no jaxlib";
  site.install("jaxlib", "0.6.2");
  EXPECT_EQ(site.inventory().value("framework.jax.build"), "cpu");
  site.install("jax-cuda12-plugin", "0.6.2");
  site.file("jax_plugins/xla_cuda12/xla_cuda_plugin.so",
            library_with({fatbin({machine_code(80), machine_code(90)})}));
  EXPECT_EQ(site.inventory().value("framework.jax.build"), "cuda");
  EXPECT_EQ(site.inventory().value("framework.jax.cuda"), "12");
  EXPECT_EQ(site.inventory().value("framework.jax.arch_list"), "sm_80 sm_90");
  EXPECT_EQ(site.inventory().value("framework.jax.version"), "0.6.2");
  Site old;
  old.install("jax", "0.4.29");
  old.install("jaxlib", "0.4.29+cuda12.cudnn91");
  EXPECT_EQ(old.inventory().value("framework.jax.cuda"), "12");
  EXPECT_EQ(old.inventory().value("framework.jax.cudnn"), "9.1");
}

TEST(Frameworks, CuPyAndVllm) {
  Site site;
  site.install("cupy-cuda12x", "13.4.1");
  site.file("cupy/.data/_wheel.json",
            R"({"cuda":"12.x","nccl":{"version":"2.25.1","filenames":[]},"cudnn":7})");
  site.install("vllm", "0.10.0+cu126");
  const Inventory inventory = site.inventory();
  EXPECT_EQ(inventory.value("framework.cupy.package"), "cupy-cuda12x");
  EXPECT_EQ(inventory.value("framework.cupy.cuda"), "12");
  EXPECT_EQ(inventory.value("framework.cupy.nccl"), "2.25.1");
  EXPECT_EQ(inventory.find("framework.cupy.cudnn"), nullptr);
  EXPECT_EQ(inventory.value("framework.vllm.cuda"), "12.6");
  Site others;
  others.install("cupy-cuda111", "10.0.0");
  others.install("vllm", "0.10.0");
  others.file("vllm/_C.abi3.so", library_with({fatbin({machine_code(90)})}, "libcudart.so.12"));
  EXPECT_EQ(others.inventory().value("framework.cupy.cuda"), "11.1");
  EXPECT_EQ(others.inventory().value("framework.vllm.build"), "cuda");
  EXPECT_EQ(others.inventory().value("framework.vllm.cuda"), "12");
  EXPECT_EQ(others.inventory().value("framework.vllm.arch_list"), "sm_90");
}

TEST(Frameworks, NamesOfOtherPackagesAreNone) {
  EXPECT_EQ(framework_of("onnxruntime-gpu"), "onnxruntime");
  EXPECT_EQ(framework_of("tensorflow-cpu-aws"), "tensorflow");
  EXPECT_EQ(framework_of("cupy-cuda11x"), "cupy");
  for (const char* const other : {"torchvision", "torch-geometric", "jaxlib", "jax-cuda12-plugin",
                                  "tensorflow-datasets", "onnxruntime-extensions", "vllm-flash-attn", ""}) {
    EXPECT_EQ(framework_of(other), "") << other;
  }
}

TEST(Frameworks, DamagedInstallationsAreRead) {
  Site site;
  std::filesystem::create_directories(site.tree.at(site.folder + "/torch-2.8.0.dist-info"));
  site.file("torch/version.py", std::string(1000, '\xff'));
  site.file("torch/lib/libtorch_cuda.so", std::string(500, '\x7f'));
  site.file("jax-0.6.2.dist-info/METADATA", "\xff\xfe");
  site.file("tensorflow-2.19.0.dist-info", "a file where a folder should be");
  const Inventory inventory = site.inventory();
  EXPECT_EQ(inventory.value("framework.torch.version"), "2.8.0");
  EXPECT_THAT(how(inventory, "framework.torch.version"), HasSubstr("METADATA is missing"));
  EXPECT_EQ(inventory.value("framework.jax.version"), "0.6.2");
  EXPECT_EQ(inventory.value("framework.tensorflow.version"), "2.19.0");
}

TEST(Frameworks, NoPythonIsOneAnswer) {
  const FakeTree tree;
  const Inventory inventory = collected(tree, collect_frameworks);
  EXPECT_TRUE(is_absent(inventory, "python.path"));
  EXPECT_EQ(inventory.items().size(), 1U);
}

TEST(Frameworks, AClosedFolderIsUnreadable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  Site site;
  std::filesystem::permissions(site.tree.at(site.folder), std::filesystem::perms::none);
  EXPECT_TRUE(site.inventory().unreadable("framework.torch.version"));
  std::filesystem::permissions(site.tree.at(site.folder), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace gpugauge::stack
