"""What is taken along and what is committed of the stages that scripts/record recorded."""
import pathlib
import re
import shutil
import sys
import tarfile

from counts import FEWER, PARTIAL, load

LEFT = ("log.txt", "commands.sh")  # the commands stand in the provenance


def told(provenance, kept):
    """The cell of the page: how much was reached, on what and when."""
    text = f"{kept['reached']} of {kept['asked']} {kept['what']}"
    if any(entry.startswith(f"{PARTIAL}: ") for entry in kept["missing"]):
        text += ", of a partial run"
    elif fewer := [entry.split(": ")[0] for entry in kept["missing"] if entry.startswith(f"{FEWER} ")]:
        text += f", some in {fewer[0]}"
    if kept["not_here"]:
        text += f", {len(kept['not_here'])} not for this GPU or machine"
    return f"{text}; {provenance['gpu_name']}, driver {provenance['driver']}, {provenance['date'][:10]}"


def beside(cell, told_now, gpu_name):
    """The cell with what is told now in place of what it told of the same model; other models' stay."""
    others = [one for one in cell.split("<br>") if one != "nothing" and f"; {gpu_name}, driver " not in one]
    return "<br>".join([*others, told_now])


def folder_of(gpu_name):
    """A folder's name that leads nowhere else."""
    return re.sub(r"[^\w .()+-]", "-", gpu_name, flags=re.ASCII).strip(". ") or "unnamed"


def archive(folder, file):
    """FILE, a tar.xz of what is recorded below FOLDER, without what is half made: whole, or as it was before. Packed by Python, for
    there may be no xz, and lightly, for a GPU waits meanwhile."""
    file, new = pathlib.Path(file), pathlib.Path(f"{file}.new")
    with tarfile.open(new, "w:xz", preset=1) as out:
        for one in sorted(pathlib.Path(folder).iterdir()):
            if not one.name.startswith(".") and one.suffix != ".new" and one.resolve() != file.resolve():
                out.add(one, f"record/{one.name}")
    new.replace(file)


def replace_folder(source, place):
    """Copies SOURCE to PLACE, which holds what was there before, or the whole copy: the copy is made beside it, under a hidden name. Where a
    kill came between the two moves, the next call brings back what was there."""
    new, before = place.with_name(f".{place.name}.new"), place.with_name(f".{place.name}.before")
    if before.exists() and not place.exists():
        before.rename(place)
    for one in (new, before):
        shutil.rmtree(one, ignore_errors=True)
    try:
        shutil.copytree(source, new, ignore=shutil.ignore_patterns(*LEFT))
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if place.exists():
        place.rename(before)
    new.rename(place)
    shutil.rmtree(before, ignore_errors=True)


def keep(stages, baselines, page):
    """Copies each recorded stage of (name, folder) into BASELINES/GPU/NAME and fills its row of the page; the exit code.
    A stage of a build with changes that no commit holds stays where it is, and is named."""
    page, count, refused = pathlib.Path(page), 0, 0
    text = page.read_text(encoding="utf-8")
    for name, folder in stages:
        try:
            provenance = load(f"{folder}/provenance.json")
            if provenance["exit_status"] != 0:
                continue  # a stage that failed may have left half a summary
            kept = load(f"{folder}/summary.json")
            place, cell = pathlib.Path(baselines, folder_of(provenance["gpu_name"]), name), told(provenance, kept)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            print(f"{name}: not kept: {folder} cannot be read ({type(error).__name__}: {error})", file=sys.stderr)
            refused += 1
            continue
        if "+changes" in provenance["build"]:
            print(f"{name}: not kept: its build held what was not committed ({provenance['build'].split(' files ')[0]}), so nobody could build it "
                  "again; commit, build and record anew.", file=sys.stderr)
            refused += 1
            continue
        replace_folder(folder, place)
        row = re.search(rf"^\| {re.escape(name)} \| .* \| ([^|]*) \|$", text, re.M)
        if row:
            text = text[:row.start(1)] + beside(row.group(1), cell, provenance["gpu_name"]) + text[row.end(1):]
        print(f"{name}: {place}")
        count += 1
    new = page.with_name(f"{page.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(page)
    if count == 0 and refused == 0:
        print("Nothing is recorded that could be kept.", file=sys.stderr)
    return 0 if count and not refused else 1
