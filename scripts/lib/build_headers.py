"""The headers that a build's objects were compiled from, by ninja's own records.

    build_headers.py BUILD     prints them, one a line
"""
import os
import pathlib
import subprocess
import sys


def compiled_headers(build):
    """Absolute paths; a compiler cache notes files of the project's folder, its virtual environments too, from the build on."""
    build = pathlib.Path(build).absolute()
    text = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    return {os.path.normpath(build / line.strip()) for line in text.splitlines() if line.startswith("    ")}


if __name__ == "__main__":
    print("\n".join(sorted(compiled_headers(sys.argv[1]))))
