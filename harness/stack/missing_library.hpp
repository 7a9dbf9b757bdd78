// A library that a program needs and the loader did not find: which one, and where it comes from. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gpugauge::stack {

/// The library's name in the loader's message, wherever it stands in `text`: "libcudnn.so.9" of "...: error
/// while loading shared libraries: libcudnn.so.9: cannot open shared object file: No such file or directory".
/// "" where the text tells of no missing library.
std::string missing_library(std::string_view text);

/// What gives the program this library: "install cuDNN (NVIDIA's package libcudnn9-cuda-13), or add the folder
/// that holds libcudnn.so.9 to LD_LIBRARY_PATH". `cuda` is the toolkit that the program was built with,
/// "13.0.88"; "" leaves the package out, as does a library of nobody we know.
std::string how_to_get(const std::string& library, const std::string& cuda);

}  // namespace gpugauge::stack
