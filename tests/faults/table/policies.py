"""A policy file that is wrong in one way. Nothing is measured: a bad file must not cost a measurement."""

import json

from fault import Fault


def wrong(name, text, says, **more):
    if not isinstance(text, str):
        text = json.dumps({"schema": "gpugauge.policy/1", **text})
    return Fault(
        name,
        "gpugauge check $HOST --policy policy.json",
        2,
        "gpugauge: policy.json.*" + says,
        before=f"cat >policy.json <<'POLICY'\n{text}\nPOLICY",
        **more,
    )


ROWS = [
    Fault("missing", "gpugauge check $HOST --policy policy.json", 2, "policy.json could not be opened: No such file"),
    wrong("empty", "", "the file is empty; it should hold a JSON object"),
    wrong("no JSON", "tolerance: 5%", "not JSON at byte 2"),
    wrong("cut short", '{"schema": "gpugauge.policy/1", "tolerance"', "the file is truncated"),
    wrong("of another schema", '{"schema": "gpugauge.policy/7"}', "gpugauge.policy/1"),
    wrong("without a schema", "{}", "schema"),
    wrong(
        "a key twice", '{"schema": "gpugauge.policy/1", "alpha": 0.01, "alpha": 0.4}', "the key '?alpha'? stands twice"
    ),
    wrong("an unknown key", {"tolerence": {}}, "tolerence"),
    wrong("a tolerance of 0", {"tolerance": {"hbm": 0}}, "tolerance.hbm: is 0; it must be above 1e-06 and below 1"),
    wrong("a tolerance above 1", {"tolerance": {"hbm": 5}}, "must be above 1e-06 and below 1"),
    wrong("a tolerance that is text", {"tolerance": {"hbm": "5%"}}, "tolerance.hbm: should be a number and is text"),
    wrong(
        "a tolerance that is huge",
        '{"schema": "gpugauge.policy/1", "tolerance": {"hbm": 1e999}}',
        "a number is out of range",
    ),
    wrong("an unknown class", {"tolerance": {"hbm3": 0.05}}, "'hbm3' is no class of metrics"),
    wrong(
        "a rule that says nothing",
        {"metrics": [{"metric": "good/op:*"}]},
        "says nothing about its metric; give tolerance or advisory",
    ),
    Fault(
        "a rule that matches nothing",
        "gpugauge check $HOST --policy policy.json",
        2,
        "policy: the entry 'nothing/.' matches no metric",
        before="""echo '{"schema": "gpugauge.policy/1", "metrics": [{"metric": "nothing/*", "advisory": true}]}' >policy.json""",
    ),
    wrong("an alpha of one half", {"alpha": 0.5}, "alpha: is 0.5; it must be above 1e-06 and below 0.5"),
    wrong("too many rounds", {"max_rounds": 1000000}, "max_rounds: is 1000000; it must be 2 to"),
    Fault(
        "a treatment that is the suite",
        "gpugauge check $HOST --policy policy.json",
        2,
        "treatment suite: .* can be no treatment",
        before="""echo '{"schema": "gpugauge.policy/1", "treatment": ["suite"]}' >policy.json""",
    ),
    wrong("a negative count of GPUs", {"expect": {"gpus": -1}}, "expect.gpus: must be 0 to 1024"),
    wrong("a list in place of an object", '["gpugauge.policy/1"]', "should be an object and is an array"),
    Fault(
        "nested a hundred thousand deep",
        "gpugauge check $HOST --policy policy.json",
        2,
        "policy.json: nested deeper than 64 levels",
        before="head -c 100000 /dev/zero | tr '\\0' '[' >policy.json",
    ),
    Fault(
        "too large",
        "gpugauge check $HOST --policy policy.json",
        2,
        "policy.json has .* bytes; at most 1048576 are read",
        before="truncate -s 1G policy.json",
    ),
    Fault(
        "a pipe",
        "gpugauge check $HOST --policy policy.json",
        2,
        "policy.json is not a regular file",
        before="mkfifo policy.json",
    ),
    Fault(
        "a folder",
        "gpugauge check $HOST --policy policy.json",
        2,
        "policy.json is a directory",
        before="mkdir policy.json",
    ),
]
