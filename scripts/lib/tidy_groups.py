"""Which sources clang-tidy may read as one (scripts/lib/tidy.py), and the file that makes them one.

Headers cost more than code: a dozen files that are read as one cost little more than one of them. A group must show what each
file alone would show, so two files share one only where neither defines what the other defines, calls or names: nothing clashes,
no call finds another function, and the static analyzer, which looks no more at a function that it has followed from a caller,
looks at every function as it would in its own file. A file with conditional code stands alone, since the check of preprocessor
conditions looks at nothing but the file it is given.
"""
import pathlib
import re
import shlex

# The analyzer takes a source that is included for code, not for a header, only in a file of such a name.
PREFIX = "UnifiedSource"
ALONE = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef)\b", re.MULTILINE)
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# What begins in the first column is at the top level: clang-format sees to that.
TOP_LEVEL = re.compile(r"^(?![#}\s]|namespace\b|using namespace\b|extern \"C\" \{)[^\n]*", re.MULTILINE)
MACROS = re.compile(r"^#\s*define\s+(\w+)", re.MULTILINE)
TESTS = re.compile(r"TEST(?:_[FP])?\((\w+), (\w+)\)")
UNNAMED = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)
FREE = re.compile(r"(?<![.\w])(?<!->)[A-Za-z_]\w*")
CALLED = re.compile(r"[A-Za-z_]\w*(?=\()")
CALLED_FREE = re.compile(r"(?<![.\w])(?<!->)[A-Za-z_]\w*(?=\()")
KEPT = ("-I", "-std=")


class Source:
    """A source file with the flags that clang needs of its compile command, and the names by which it may meet others."""

    def __init__(self, path, command):
        self.path = path
        self.defines, self.flags = flags(command)
        text = path.read_text(encoding="utf-8", errors="replace")
        self.lines = text.count("\n")
        code = NOT_CODE.sub('""', text)
        self.alone = bool(ALONE.search(code))
        self.inner, _ = defined_names("\n".join(NOT_CODE.sub('""', each) for each in UNNAMED.findall(text)))
        self.outer, self.methods = defined_names(NOT_CODE.sub('""', UNNAMED.sub("", text)))
        self.inner |= set(MACROS.findall(code)) | {f"{suite}_{name}_Test" for suite, name in TESTS.findall(code)}
        self.free, self.called, self.called_free = (set(each.findall(code)) for each in (FREE, CALLED, CALLED_FREE))

    def disturbs(self, other):
        """Whether something that it defines could be taken for something in the other, or is used there."""
        return bool(self.inner & (other.inner | other.outer | other.called_free) or self.outer & other.free or
                    self.methods & other.called)

    def fits(self, others):
        """Whether it may be read as one with the others."""
        return not self.alone and all(
            not other.alone and self.flags == other.flags and not self.disturbs(other) and not other.disturbs(self)
            for other in others)


def flags(command):
    """A compile command's definitions, and what else clang-tidy needs of it: no warnings, no optimising, nothing precompiled."""
    words, defines, kept = shlex.split(command), [], []
    for place, word in enumerate(words):
        if word == "-D" or (word == "-include" and words[place + 1].endswith("cmake_pch.hxx")):
            continue
        if word.startswith("-D"):
            defines.append(word[2:])
        elif word in ("-I", "-isystem", "-include"):
            kept += [word, words[place + 1]]
        elif word.startswith(KEPT):
            kept.append(word)
    return defines, tuple(kept)


def defined_names(code):
    """What code defines at its top level: functions, variables and types; and the names of its classes' functions."""
    names, methods = set(), set()
    for line in TOP_LEVEL.findall(code):
        line = re.sub(r"^template <.*?>(?: |$)", "", line)
        if TESTS.match(line):
            continue
        if (typed := re.match(r"(?:struct|class|enum class|enum|union) (\w+)(?=[ ;:{])(?! \w+\()|using (\w+) =", line)):
            names.add(typed.group(1) or typed.group(2))
        elif not line.startswith("using "):
            head = re.split(r"[({=;\[]", line, maxsplit=1)[0]
            if (found := re.search(r"(\w+::)?~?(\w+)\s*$", head)) and found.group(2) != "operator":
                owned = found.group(1) and found.group(1) != found.group(2) + "::"
                (methods if owned else names).add(found.group(2))
    return names, methods


def grouped(sources, most, lines):
    """The sources as lists in the order of their first: as many in each as fit, `most` at the most, of so many lines in all."""
    groups = []
    for source in sources:
        for group in groups:
            if len(group) < most and sum(each.lines for each in group) + source.lines <= lines and source.fits(group):
                group.append(source)
                break
        else:
            groups.append([source])
    return groups


def write_unit(path, group):
    """Writes the file that makes a group one; what only some of them are compiled with is defined around each."""
    common = set(group[0].defines).intersection(*(each.defines for each in group))
    text = ""
    for source in group:
        own = [each for each in source.defines if each not in common]
        text += "".join("#define {} {}\n".format(*(each.split("=", 1) if "=" in each else (each, 1))) for each in own)
        text += f'#include "{source.path}"  // NOLINT(bugprone-suspicious-include): what this file is for\n'
        text += "".join("#undef {}\n".format(each.split("=", 1)[0]) for each in own)
    path.write_text(text, encoding="utf-8")
    return [f"-D{each}" for each in group[0].defines if each in common] + list(group[0].flags)
