#!/usr/bin/env python3
"""Whose the files are that a product is made of: of which Debian package or wheel, under which licence.

Usage: owners.py OUT BUILD [FILE...]

Writes OUT/NAME.txt, one an owner: the licences of FILE (shared libraries that are copied beside the product) and of the headers
that the objects of BUILD were compiled from. Ends with 1 where a file has no owner, or an owner no licence.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

from build_headers import compiled_headers

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Declarations of the system alone: nothing of them is in the product.
INTERFACE_ONLY = re.compile(r"^(linux-libc-dev|libc-dev-bin)$")
Owner = collections.namedtuple("Owner", "kind name version licence_file licences")


def debian_owners(paths):
    """{path: package:architecture} for those that dpkg knows."""
    owners = {}
    by_name = collections.defaultdict(set)
    for path in paths:
        real = str(pathlib.Path(path).resolve())
        for name in {real, real.removeprefix("/usr"), path}:
            by_name[name].add(path)
    names = sorted(by_name)
    for start in range(0, len(names), 500):
        answer = subprocess.run(["dpkg-query", "--search", "--", *names[start:start + 500]], capture_output=True, text=True)
        for line in answer.stdout.splitlines():
            package, _, name = line.rpartition(": ")
            for path in by_name.get(name, ()):
                owners[path] = package.split(", ")[0]
    return owners


def debian_package(package):
    version, architecture = subprocess.run(["dpkg-query", "-W", "-f=${Version} ${Architecture}", package],
                                           capture_output=True, text=True, check=True).stdout.split()
    name = package.split(":")[0]
    licence_file = pathlib.Path("/usr/share/doc") / name / "copyright"
    licences = []
    if licence_file.exists():
        text = licence_file.read_text(errors="replace")
        licences = sorted({" ".join(word.split()) for word in re.findall(r"^License:[ \t]*(\S.*)$", text, re.M)})
    return Owner("deb", name, version, licence_file if licence_file.exists() else None, tuple(licences))


def wheel_key(name):
    """What is the same in a wheel's record and where its file was put: the part from include/ or lib/ on."""
    match = re.search(r"(?:^|/)(include|lib(?:64)?)/((?:.*/)?[^/]+)$", name)
    return None if match is None else ("include" if match.group(1) == "include" else "lib", match.group(2))


class Wheels:
    """Owners of files that came from wheels: folders named *.dist-info near the file."""

    def __init__(self):
        self.records = {}

    def record(self, info):
        if info not in self.records:
            names = set()
            if (info / "RECORD").exists():
                names = {wheel_key(line.split(",")[0]) for line in (info / "RECORD").read_text().splitlines()}
            self.records[info] = names - {None}
        return self.records[info]

    def owner(self, path):
        # The shortest part is what a header is included by; a toolkit may have linked its folders into another shape.
        keys = {wheel_key(path), wheel_key(str(pathlib.Path(path).resolve()))} - {None}
        if "/include/" in path:
            keys.add(("include", path.split("/include/", 1)[1]))
        for folder in list(pathlib.Path(path).parents) + list(pathlib.Path(path).resolve().parents):
            for info in sorted(folder.glob("*.dist-info")) + sorted(folder.glob("dist-info/*.dist-info")):
                if keys & self.record(info):
                    return info
        return None


def wheel_package(info):
    metadata = (info / "METADATA").read_text(errors="replace")
    field = lambda name: (re.search(rf"^{name}: *(.+)$", metadata, re.M) or [None, ""])[1].strip()
    files = [file for file in sorted(info.glob("licenses/**/*")) + sorted(info.glob("License*")) + sorted(info.glob("LICENSE*"))
             if file.is_file()]
    licence = field("License-Expression") or field("License")
    return Owner("pypi", field("Name"), field("Version"), files[0] if files else None, (licence,) if licence else ())


def inside(path, folder):
    return path.is_relative_to(folder) or path.resolve().is_relative_to(folder.resolve())


def foreign(files, build):
    """Those that belong to neither the build nor the sources; the virtual environments in the sources do not."""
    return {file for file in files
            if not inside(pathlib.Path(file), build) and not (inside(pathlib.Path(file), ROOT)
                                                              and not inside(pathlib.Path(file), ROOT / ".venv"))}


def owners_of(files, ways):
    """({owner: how its files are used}, files that nobody owns). `ways`: {how: files}."""
    debian = debian_owners(files)
    wheels = Wheels()
    used = collections.defaultdict(set)
    unowned = set()
    for file in sorted(files):
        how = {word for word, group in ways.items() if file in group}
        info = None if file in debian else wheels.owner(file)
        if file in debian:
            used[("deb", debian[file])] |= how
        elif info is not None:
            used[("wheel", info)] |= how
        else:
            unowned.add(file)
    owners = {}
    for (kind, what), how in sorted(used.items(), key=str):
        owner = debian_package(what) if kind == "deb" else wheel_package(what)
        if INTERFACE_ONLY.match(owner.name):
            continue
        # A wheel that is installed in two places is one part.
        known = next((one for one in owners if one[:3] == owner[:3]), owner)
        owners.setdefault(known, set()).update(how)
    return owners, unowned


def write_licences(folder, owners):
    """One file an owner, and the texts that Debian's files only refer to."""
    folder.mkdir(parents=True, exist_ok=True)
    common = set()
    for owner in owners:
        if owner.licence_file is None:
            continue
        text = owner.licence_file.read_bytes()
        (folder / f"{owner.name}.txt").write_bytes(text)
        common |= set(re.findall(rb"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", text))
    for name in sorted(common):
        file = pathlib.Path("/usr/share/common-licenses") / name.decode()
        if file.exists():
            (folder / f"common-{name.decode()}.txt").write_bytes(file.read_bytes())


def complain(owners, unowned):
    """Says on standard error what lacks an owner or a licence; True if something does."""
    for file in sorted(unowned):
        print(f"no package and no wheel owns {file}", file=sys.stderr)
    without = [owner for owner in owners if owner.licence_file is None]
    for owner in without:
        print(f"{owner.name} {owner.version} brings no licence file", file=sys.stderr)
    return bool(unowned or without)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    ways = {"compiled from its headers": compiled_headers(build), "carried as a shared library": set(arguments.files)}
    owners, unowned = owners_of(foreign({file for group in ways.values() for file in group}, build), ways)
    write_licences(arguments.out, owners)
    return 1 if complain(owners, unowned) else 0


if __name__ == "__main__":
    sys.exit(main())
