"""The headers of others that a build was compiled from, by ninja's own records.

    build_headers.py BUILD [ROOT]     prints them, one a line; ROOT: the project's folder, where it is not this one
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def of_the_project(path, build, root):
    """Whether a header is a source of the project, or made by its build; what was fetched into the build is neither."""
    if path.is_relative_to(build):
        return not path.is_relative_to(build / "_deps")
    return path.is_relative_to(root) and not path.is_relative_to(root / ".venv")


def compiled_headers(build, root=ROOT):
    """Absolute paths of headers outside the project that an object was compiled from. The virtual environment in the project's
    folder is outside, and a compiler cache notes its files from the build on (../../.venv/...)."""
    build = pathlib.Path(build).absolute()
    text = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    noted = {line.strip() for line in text.splitlines() if line.startswith("    ")}
    paths = {pathlib.Path(os.path.normpath(build / name)) for name in noted}
    return {str(path) for path in paths if not of_the_project(path, build, root)}


if __name__ == "__main__":
    print("\n".join(sorted(compiled_headers(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT))))
