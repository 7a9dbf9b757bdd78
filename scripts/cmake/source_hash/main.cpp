// gpugauge-source-hash MANIFEST OUTPUT USED: runs while GPUGauge is built, and is not installed.
//
// Writes OUTPUT, a C++ file that defines the family's name, one SHA-256 over what is compiled into it (and the
// version of PTX that it asks for, where it asks for one), and what its processes and benchmarks are estimated
// to take; and USED, the files that count, a line each. The manifest has a word and a value on each line:
//
//   family NAME, ptx VERSION, start_seconds S, beside_seconds S
//   root FOLDER      where paths begin and includes are looked for; below it, bench is another such place
//   source PATH      a file of the family's own: counts
//   shared PATH      a file of bench/support or kernels: counts if the family uses it
//
// Results of different hashes are never compared, so that a corrected comment must not change one: it would
// leave the baselines of every site behind.
#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include <openssl/sha.h>

#include "source_hash/code.hpp"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw std::runtime_error(file.string() + " cannot be read, or is empty");
  return text.str();
}

/// Written only where it says something else, so that a comment links nothing again.
void write(const fs::path& file, const std::string& text) {
  std::error_code none;
  if (fs::exists(file, none) && read(file) == text) return;
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw std::runtime_error(file.string() + " cannot be written");
}

std::string sha256(const std::string& text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : digest) {
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

struct Manifest {
  std::map<std::string, std::string> words;
  gpugauge::source_hash::Files sources, shared;
};

Manifest read_manifest(const fs::path& file) {
  Manifest out;
  std::istringstream lines(read(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const std::string word = line.substr(0, blank);
    const std::string value = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (word == "source")
      out.sources.emplace(value, read(value));
    else if (word == "shared")
      out.shared.emplace(value, read(value));
    else
      out.words[word] = value;
  }
  for (const char* word : {"family", "root", "start_seconds", "beside_seconds"})
    if (out.words[word].empty()) throw std::runtime_error(file.string() + " does not say " + word);
  return out;
}

void hash(const fs::path& manifest_file, const fs::path& output, const fs::path& list) {
  Manifest manifest = read_manifest(manifest_file);
  const fs::path root = manifest.words["root"];
  std::map<std::string, const std::string*> counted;
  const auto name = [&](const fs::path& file) { return file.lexically_relative(root).generic_string(); };
  for (const auto& [file, text] : manifest.sources) counted[name(file)] = &text;
  for (const fs::path& file :
       gpugauge::source_hash::used_of(manifest.sources, manifest.shared, {root / "bench", root}))
    counted[name(file)] = &manifest.shared.at(file);
  std::string all, names;
  for (const auto& [path, text] : counted) {
    all += path + " " + sha256(gpugauge::source_hash::code_of(*text)) + "\n";
    names += path + "\n";
  }
  if (const std::string& ptx = manifest.words["ptx"]; !ptx.empty()) all += "PTX " + ptx + "\n";
  const auto constant = [](const std::string& type, const std::string& what, const std::string& value) {
    return "extern " + type + " const " + what + ";\n" + type + " const " + what + " = " + value + ";\n";
  };
  write(output, "// Generated from the sources of this family.\nnamespace gpugauge::bench {\n" +
                    constant("const char*", "family_name", "\"" + manifest.words["family"] + "\"") +
                    constant("const char*", "family_source_hash", "\"" + sha256(all) + "\"") +
                    constant("double", "family_start_seconds", manifest.words["start_seconds"]) +
                    constant("double", "family_beside_seconds", manifest.words["beside_seconds"]) +
                    "}  // namespace gpugauge::bench\n");
  write(list, names);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::cerr << "usage: gpugauge-source-hash MANIFEST OUTPUT USED\n";
    return 2;
  }
  try {
    hash(words[1], words[2], words[3]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "gpugauge-source-hash: " << error.what() << "\n";
    return 2;
  }
}
