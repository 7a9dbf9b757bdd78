"""A family whose sample file is none."""

from fault import Fault

RUN = "gpugauge run $HOST --output out.json"
EDIT = """sed 's|{}|{}|' "${{0%/*}}/bad.samples" >"$samples" """


def refused(name, says, family, **more):
    return Fault(name, RUN, 1, f"gpugauge-bench-bad {says}", family=family, output="whole", **more)


def unread(name, says, family, **more):
    return refused(name, "left a sample file that cannot be read: .*" + says, family, **more)


def edited(name, says, was, now):
    return unread(name, says, EDIT.format(was, now))


ROWS = [
    unread("empty", "", ': >"$samples"'),
    unread("cut short", "truncated", 'leave; truncate -s 200 "$samples"'),
    unread("garbage", "", 'head -c 100000 /dev/urandom >"$samples"'),
    unread("nested a hundred thousand deep", "", "head -c 100000 /dev/zero | tr '\\0' '[' >\"$samples\""),
    unread("of 3 GiB", "at most 1073741824 are read", 'truncate -s 3G "$samples"'),
    unread("a folder", "is a directory", 'mkdir "$samples"'),
    unread("a pipe", "is not a regular file", 'mkfifo "$samples"'),
    unread("a link to /dev/zero", "is not a regular file", 'ln -s /dev/zero "$samples"'),
    unread("a link to itself", "could not be opened", 'ln -s "$samples" "$samples"'),
    unread("a link to a file of the system", "", 'ln -s /etc/passwd "$samples"', lacks="root:"),
    edited("of another schema", "gpugauge.samples/2", "gpugauge.samples/1", "gpugauge.samples/2"),
    edited("with a value that is infinite", "", '"value": 0.001', '"value": 1e999'),
    edited("with NaN", "", '"value": 0.001', '"value": NaN'),
    edited("with a negative time", "above 0", '"seconds_per_operation": \\[0.001', '"seconds_per_operation": [-0.001'),
    edited("with an unknown unit", "no unit that this version knows", '"unit": "second"', '"unit": "fortnight"'),
    edited("with a benchmark of another family", "does not begin with its family", '"id": "bad/op"', '"id": "good/op"'),
    refused("of another family", "left samples of the family 'good'", 'cat "${0%/*}/good.samples" >"$samples"'),
    refused("gone for lack of space", "ended with exit code 1; it said: .*", "ulimit -f 0; trap '' XFSZ; leave"),
    Fault(
        "without a benchmark that it promised",
        RUN,
        1,
        "left no result of bad/op of the 1 benchmark that it was to measure",
        output="whole",
        family="""sed 's|"benchmarks": .*|"benchmarks": []}|' "${0%/*}/bad.samples" >"$samples" """,
    ),
    Fault(
        "a wrong result",
        RUN,
        1,
        "the result is wrong",
        output="whole",
        family=EDIT.format(
            '"status": "ok", "reason": "", "parameters"',
            '"status": "failed", "reason": "the result is wrong", "parameters"',
        )
        + "; exit 1",
    ),
]
