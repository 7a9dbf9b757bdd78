#!/usr/bin/env python3
"""Bill of materials of a built package: what was really linked, embedded or carried, read from the build itself.

Usage: sbom.py BUILD OUT --version VERSION --commit COMMIT --epoch SECONDS

Reads the linker's maps (BUILD/link/*.map: every archive member that was linked), the headers that each object was compiled
from (ninja's own records), and BUILD/link/carried (shared libraries that travel with the package). Each file's owner is asked
from dpkg, then from the wheel that installed it. Writes OUT/sbom.cdx.json (CycloneDX 1.6, validated against its schema) and
OUT/licences/, one file an owner. Needs cyclonedx-python-lib with its validator. Ends with 1 where a linked file has no owner.
"""
import argparse
import collections
import datetime
import hashlib
import pathlib
import re
import subprocess
import sys
import uuid

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.model.tool import Tool
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from build_headers import compiled_headers

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Declarations of the system alone: nothing of them is in the product.
INTERFACE_ONLY = re.compile(r"^(linux-libc-dev|libc-dev-bin)$")
Owner = collections.namedtuple("Owner", "kind name version licence_file licences")


def linked_archives(build):
    """Absolute paths of the archives and start files of which a member was linked into a shipped executable."""
    files = set()
    for target_map in sorted((build / "link").glob("*.map")):
        for line in target_map.read_text(errors="replace").splitlines():
            match = re.match(r"^(?:LOAD )?(/[^()\s]+\.(?:a|o))(?:\([^)]*\))?(?:\s|$)", line)
            # A LOAD line names every archive that was offered; only a line with a member says that it was taken.
            if match and ("(" in line.split()[0] or (line.startswith("LOAD ") and match.group(1).endswith(".o"))):
                files.add(match.group(1))
    return {file for file in files if not inside(pathlib.Path(file), build)}


def carried_libraries(build):
    """The shared libraries that are installed beside the families."""
    listed = build / "link" / "carried"
    return {line for line in listed.read_text().splitlines() if line} if listed.exists() else set()


def inside(path, folder):
    return path.is_relative_to(folder) or path.resolve().is_relative_to(folder.resolve())


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


def uplot(pins):
    folder = ROOT / "harness/report/uplot"
    return Owner("npm", "uplot", pins["UPLOT_VERSION"], folder / "LICENSE", ("MIT",))


def purl(owner, distribution):
    if owner.kind == "deb":
        return PackageURL("deb", distribution.split("-")[0], owner.name, owner.version, {"distro": distribution})
    return PackageURL(owner.kind, None, owner.name.lower() if owner.kind == "pypi" else owner.name, owner.version)


def component(owner, how, distribution, pins):
    hashes = []
    if owner.name == "uplot":
        hashes = [HashType(alg=HashAlgorithm.SHA_256, content=pins["UPLOT_SCRIPT_SHA256"])]
    return Component(
        name=owner.name, version=owner.version, type=ComponentType.LIBRARY, bom_ref=f"{owner.kind}:{owner.name}",
        purl=purl(owner, distribution), hashes=hashes,
        licenses=[DisjunctiveLicense(name=name) for name in owner.licences],
        properties=[Property(name="gpugauge:how", value=word) for word in sorted(how)])


def write_licences(out, owners):
    """One file an owner, and the texts that Debian's files only refer to."""
    folder = out / "licences"
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    pins = dict(line.split("=", 1) for line in (ROOT / "scripts/versions.env").read_text().splitlines()
                if re.match(r"^[A-Z0-9_]+=", line))
    release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    distribution = release.get("ID", "linux").strip('"') + "-" + release.get("VERSION_ID", "").strip('"')

    ways = {"linked statically": linked_archives(build), "compiled from its headers": compiled_headers(build),
            "carried as a shared library": carried_libraries(build)}
    files = {file for group in ways.values() for file in group
             if not inside(pathlib.Path(file), build) and not (inside(pathlib.Path(file), ROOT)
                                                               and not inside(pathlib.Path(file), ROOT / ".venv"))}
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
    owners[uplot(pins)] = {"embedded in the HTML report"}

    product = Component(name="gpugauge", version=arguments.version, type=ComponentType.APPLICATION, bom_ref="gpugauge",
                        licenses=[DisjunctiveLicense(id="Apache-2.0")],
                        properties=[Property(name="gpugauge:commit", value=arguments.commit)])
    bom = Bom(components=[component(owner, how, distribution, pins) for owner, how in owners.items()],
              metadata=BomMetaData(component=product, tools=[Tool(name="scripts/lib/sbom.py", version=arguments.version)],
                                   timestamp=datetime.datetime.fromtimestamp(arguments.epoch, datetime.timezone.utc)))
    bom.register_dependency(product, list(bom.components))
    content = sorted(f"{owner.name} {owner.version}" for owner in owners)
    # Two builds of the same parts have the same number: it names the content, not the hour.
    bom.serial_number = uuid.UUID(bytes=hashlib.sha256("\n".join([arguments.commit, *content]).encode()).digest()[:16], version=5)
    text = JsonV1Dot6(bom).output_as_string(indent=2) + "\n"
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if problem is not None:
        print(f"the bill of materials does not fit its schema: {problem}", file=sys.stderr)
        return 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_licences(arguments.out, owners)
    (arguments.out / "sbom.cdx.json").write_text(text)
    for file in sorted(unowned):
        print(f"no package and no wheel owns {file}", file=sys.stderr)
    for owner in owners:
        if owner.licence_file is None:
            print(f"{owner.name} {owner.version} brings no licence file", file=sys.stderr)
    print(f"{len(owners)} parts, {len(files)} files looked up, {len(unowned)} without an owner")
    return 1 if unowned or any(owner.licence_file is None for owner in owners) else 0


if __name__ == "__main__":
    sys.exit(main())
