"""Files that are whole at every moment: a reader, or who kills the writer, finds the old text or the new one."""
import os
import pathlib
import tempfile


def write(path, text):
    """Writes `text`, in UTF-8, beside the file and renames it. The file's mode stays, and a link to it stays a link. What is no
    regular file, and what /dev and /proc name (/dev/stdout may be a pipe, or a file that others write to), is written as it is.
    Raises OSError, and leaves the old text then."""
    given = pathlib.Path(path)
    if given.absolute().is_relative_to("/dev") or given.absolute().is_relative_to("/proc") or given.exists() and not given.is_file():
        given.write_text(text, encoding="utf-8")
        return
    place = given.resolve()
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
