"""Files that are whole at every moment: a reader, or who kills the writer, finds the old text or the new one."""
import os
import pathlib
import tempfile


def write(path, text):
    """Writes `text`, in UTF-8, beside the file and renames it. The file's mode stays, and a link to it stays a link. What is no
    regular file, such as /dev/stdout, is written as it is. Raises OSError, and leaves the old text then."""
    place = pathlib.Path(path).resolve()
    if place.exists() and not place.is_file():
        place.write_text(text, encoding="utf-8")
        return
    data = text.encode("utf-8")
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    beside = pathlib.Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~umask())
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def umask():
    """The process's, which can only be asked for by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
