#!/usr/bin/env python3
"""Bill of materials of a built package: what was really linked, embedded or carried, read from the build itself.

Usage: sbom.py BUILD OUT --version VERSION --commit COMMIT --epoch SECONDS

Reads the linker's maps (BUILD/link/*.map: every archive member that was linked), the headers that each object was compiled
from (ninja's own records), and BUILD/link/carried (shared libraries that travel with the package). Each file's owner is asked
from dpkg, then from the wheel that installed it. Writes OUT/sbom.cdx.json (CycloneDX 1.6, validated against its schema) and
OUT/licences/, one file an owner. Needs cyclonedx-python-lib with its validator. Ends with 1 where a linked file has no owner.
"""
import argparse
import datetime
import hashlib
import pathlib
import re
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
from owners import Owner, complain, foreign, inside, owners_of, write_licences

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
    files = foreign({file for group in ways.values() for file in group}, build)
    owners, unowned = owners_of(files, ways)
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
    write_licences(arguments.out / "licences", owners)
    (arguments.out / "sbom.cdx.json").write_text(text)
    incomplete = complain(owners, unowned)
    print(f"{len(owners)} parts, {len(files)} files looked up, {len(unowned)} without an owner")
    return 1 if incomplete else 0


if __name__ == "__main__":
    sys.exit(main())
