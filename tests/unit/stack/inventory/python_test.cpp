#include "stack/inventory/python.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/inventory/wheels.hpp"
#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::optional<PythonEnvironment> python_of(const FakeTree& tree, const Environment& environment,
                                           const std::string& asked = "") {
  return find_python({Tree(tree.root()), environment, asked, std::nullopt, false, 20, {}}).found;
}

void debian(FakeTree& tree) {
  tree.file("/usr/bin/python3.11",
            "\x7f"
            "ELF");
  tree.link("/usr/bin/python3", "python3.11");
  tree.file("/usr/lib/python3/dist-packages/apt.py", "");
  tree.file("/usr/local/lib/python3.11/dist-packages/x.py", "");
  tree.file("/usr/lib/python3.11/os.py", "");
}

TEST(Python, OfTheSystem) {
  FakeTree tree;
  debian(tree);
  tree.file("/srv/me/.local/lib/python3.11/site-packages/y.py", "");
  const auto python = python_of(tree, {{"PATH", "/nowhere:/usr/bin"}, {"HOME", "/srv/me"}});
  ASSERT_TRUE(python.has_value());
  EXPECT_EQ(python->path, "/usr/bin/python3");
  EXPECT_EQ(python->named_by, "PATH");
  EXPECT_EQ(python->version, "3.11");
  EXPECT_EQ(python->prefix, "/usr");
  EXPECT_EQ(python->kind, "system");
  EXPECT_THAT(python->packages,
              ElementsAre("/srv/me/.local/lib/python3.11/site-packages",
                          "/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages"));
  EXPECT_THAT(
      python_of(tree, {{"PATH", "/usr/bin"}, {"HOME", "/srv/me"}, {"PYTHONNOUSERSITE", "1"}})->packages,
      ElementsAre("/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages"));
}

TEST(Python, OfAVirtualEnvironment) {
  FakeTree tree;
  debian(tree);
  tree.link("/opt/venv/bin/python3", "/usr/bin/python3.11");
  tree.file("/opt/venv/pyvenv.cfg",
            "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n");
  tree.file("/opt/venv/lib/python3.11/site-packages/z.py", "");
  const Environment active{{"PATH", "/usr/bin"}, {"VIRTUAL_ENV", "/opt/venv"}};
  const auto python = python_of(tree, active);
  ASSERT_TRUE(python.has_value());
  EXPECT_EQ(python->path, "/opt/venv/bin/python3");
  EXPECT_EQ(python->named_by, "VIRTUAL_ENV");
  EXPECT_EQ(python->version, "3.11.2");
  EXPECT_EQ(python->prefix, "/opt/venv");
  EXPECT_EQ(python->kind, "venv");
  EXPECT_THAT(python->packages, ElementsAre("/opt/venv/lib/python3.11/site-packages"));
  for (const char* const asked : {"/opt/venv", "/opt/venv/", "/opt/venv/bin/python3"}) {
    const auto named = python_of(tree, {{"PATH", "/usr/bin"}}, asked);
    ASSERT_TRUE(named.has_value()) << asked;
    EXPECT_EQ(named->prefix, "/opt/venv") << asked;
    EXPECT_EQ(named->named_by, "--python");
  }
  tree.file("/opt/venv/pyvenv.cfg",
            "home = /usr/bin\ninclude-system-site-packages = true\nversion_info = 3.11.2.final.0\n");
  EXPECT_THAT(python_of(tree, active)->packages,
              ElementsAre("/opt/venv/lib/python3.11/site-packages", "/usr/local/lib/python3.11/dist-packages",
                          "/usr/lib/python3/dist-packages"));
}

TEST(Python, OfConda) {
  FakeTree tree;
  tree.file("/opt/conda/bin/python3.12", "");
  tree.link("/opt/conda/bin/python", "python3.12");
  tree.file("/opt/conda/conda-meta/python-3.12.4-h194c7f8_0_cpython.json", "{}");
  tree.file("/opt/conda/conda-meta/python-dateutil-2.9.0-py312_0.json", "{}");
  tree.file("/opt/conda/lib/python3.12/site-packages/z.py", "");
  const auto python = python_of(tree, {{"CONDA_PREFIX", "/opt/conda"}});
  ASSERT_TRUE(python.has_value());
  EXPECT_EQ(python->kind, "conda");
  EXPECT_EQ(python->version, "3.12.4");
  EXPECT_THAT(python->packages, ElementsAre("/opt/conda/lib/python3.12/site-packages"));
}

TEST(Python, BehindPyenv) {
  FakeTree tree;
  debian(tree);
  const std::string root = "/srv/pyenv";
  const auto inside = [&](const std::string& version, const std::string& file) {
    return fmt::format("{}/versions/{}/{}", root, version, file);
  };
  tree.file(root + "/shims/python3",
            "#!/usr/bin/env bash\nexec \"/srv/pyenv/libexec/pyenv\" exec python3 \"$@\"\n");
  for (const std::string version : {"3.9.18", "3.11.7", "3.11.10"}) {
    tree.file(inside(version, "bin/python3"), "");
    const std::string minor = version.substr(0, version.rfind('.'));
    tree.file(inside(version, fmt::format("lib/python{}/site-packages/p.py", minor)), "");
  }
  tree.file(root + "/version", "3.9.18\n3.11.7\n");
  const std::string path = root + "/shims:/usr/bin";
  const auto global = python_of(tree, {{"PATH", path}});
  ASSERT_TRUE(global.has_value());
  EXPECT_EQ(global->path, root + "/versions/3.9.18/bin/python3");
  EXPECT_EQ(global->kind, "pyenv");
  EXPECT_EQ(global->version, "3.9.18");
  EXPECT_THAT(global->packages, ElementsAre(root + "/versions/3.9.18/lib/python3.9/site-packages"));
  EXPECT_EQ(python_of(tree, {{"PATH", path}, {"PYENV_VERSION", "3.11"}})->version, "3.11.10")
      << "newest of the prefix";
  tree.file("/srv/project/.python-version", "3.11.7 # here\n");
  EXPECT_EQ(python_of(tree, {{"PATH", path}, {"PWD", "/srv/project/deep/inside"}})->version, "3.11.7");
  EXPECT_EQ(python_of(tree, {{"PATH", path}, {"PYENV_VERSION", "system"}})->path, "/usr/bin/python3");
  EXPECT_EQ(python_of(tree, {{"PATH", path}, {"PYENV_VERSION", "../../etc"}})->path, "/usr/bin/python3");
}

TEST(Python, NoneIsToldWithWhatWasAsked) {
  const FakeTree tree;
  EXPECT_FALSE(python_of(tree, {}).has_value());
  EXPECT_FALSE(python_of(tree, {}, "/opt/venv").has_value());
  EXPECT_EQ(find_python({Tree(tree.root()), {}, "/opt/venv", std::nullopt, false, 20, {}}).wanted,
            "/opt/venv");
}

Distribution only(FakeTree& tree, const std::string& folder) {
  const auto found = distributions_in(Tree(tree.root()), "/site", [](const std::string&) { return true; });
  for (const Distribution& one : found) {
    if (one.folder == "/site/" + folder) return one;
  }
  return {};
}

TEST(Wheels, TellNameVersionAndPins) {
  FakeTree tree;
  tree.file("/site/torch-2.8.0.dist-info/METADATA",
            "Metadata-Version: 2.1\r\nName: torch\r\nVersion: 2.8.0+cu128\r\n"
            "Requires-Dist: filelock\nRequires-Dist: nvidia-nccl-cu12==2.27.3; platform_system == \"Linux\"\n"
            "Requires-Dist: nvidia_cudnn_cu12 (==9.10.2.21)\nRequires-Dist: triton==3.4.0 ; extra == 'x'\n"
            "Requires-Dist: numpy==1.*\n\nVersion: 9.9.9\nRequires-Dist: late==1.0\n");
  const Distribution torch = only(tree, "torch-2.8.0.dist-info");
  EXPECT_EQ(torch.name, "torch");
  EXPECT_EQ(torch.version, "2.8.0+cu128");
  EXPECT_EQ(torch.how, "METADATA");
  EXPECT_FALSE(torch.damaged);
  EXPECT_THAT(torch.requires_exactly,
              ElementsAre("nvidia-nccl-cu12==2.27.3", "nvidia-cudnn-cu12==9.10.2.21"));
}

TEST(Wheels, DamagedMetadataIsSaidAndTheFolderAnswers) {
  FakeTree tree;
  std::filesystem::create_directories(tree.at("/site/torch-2.7.1+cpu.dist-info"));
  tree.file("/site/nvidia_nccl_cu12-2.27.3.dist-info/METADATA", "\xff\xfe binary \x01\n");
  tree.file("/site/jax-bad.dist-info/METADATA", "Name: jax\nVersion: not a version\n");
  tree.file("/site/numpy.dist-info/METADATA", "");
  tree.file("/site/old-1.2-py3.11.egg-info", "Name: old\nVersion: 1.2\n");
  tree.file("/site/newer-1.3-py3.11.egg-info/PKG-INFO", "Name: Newer\nVersion: 1.3\n");
  const Distribution torch = only(tree, "torch-2.7.1+cpu.dist-info");
  EXPECT_TRUE(torch.damaged);
  EXPECT_EQ(torch.version, "2.7.1+cpu");
  EXPECT_EQ(torch.how, "METADATA is missing; the folder's name tells the version");
  const Distribution nccl = only(tree, "nvidia_nccl_cu12-2.27.3.dist-info");
  EXPECT_EQ(nccl.name, "nvidia-nccl-cu12");
  EXPECT_EQ(nccl.version, "2.27.3");
  EXPECT_THAT(nccl.how, HasSubstr("tells no name or version"));
  EXPECT_EQ(only(tree, "jax-bad.dist-info").version, "");
  EXPECT_TRUE(only(tree, "numpy.dist-info").damaged);
  EXPECT_EQ(only(tree, "old-1.2-py3.11.egg-info").version, "1.2");
  EXPECT_EQ(only(tree, "newer-1.3-py3.11.egg-info").name, "newer");
}

TEST(Wheels, NamesAreNormalised) {
  EXPECT_EQ(normalised("Nvidia_cuDNN.cu12"), "nvidia-cudnn-cu12");
  EXPECT_EQ(normalised("a--b__c"), "a-b-c");
  EXPECT_EQ(normalised("-x y/\xc3\xa9z"), "x-y-z");
  EXPECT_EQ(normalised(""), "");
}

TEST(Wheels, RecordsTellOwners) {
  EXPECT_THAT(files_in_record("a/b.so,sha256=1,2\n\"a,c.so\",,\nnocomma\n,\nlast.so,,"),
              ElementsAre("a/b.so", "a,c.so", "last.so"));
  EXPECT_THAT(files_in_record(""), IsEmpty());
  FakeTree tree;
  tree.file("/site/nvidia_nccl_cu12-2.27.3.dist-info/METADATA", "Name: nvidia-nccl-cu12\nVersion: 2.27.3\n");
  tree.file("/site/nvidia_nccl_cu12-2.27.3.dist-info/RECORD",
            "nvidia/nccl/lib/libnccl.so.2,sha256=x,9\n../../up.so,,\n");
  const Tree seen(tree.root());
  WheelOwners owners(seen);
  ASSERT_NE(owners.owner("/site", "/site/nvidia/nccl/lib/libnccl.so.2"), nullptr);
  EXPECT_EQ(owners.owner("/site", "/site/nvidia/nccl/lib/libnccl.so.2")->version, "2.27.3");
  EXPECT_EQ(owners.owner("/site", "/site/other.so"), nullptr);
  EXPECT_EQ(owners.owner("/elsewhere", "/site/nvidia/nccl/lib/libnccl.so.2"), nullptr);
}

}  // namespace
}  // namespace gpugauge::stack
