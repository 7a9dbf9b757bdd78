"""What a hostile name, link or library must not reach. docs/threats.md says who could hand them in."""

import re

from fault import Fault

RUN = "gpugauge run $HOST --output out.json"
# A name that a shell would run, and that would colour a terminal.
NAME = r"""name=$'a;touch owned;$(touch owned)`touch owned`|&\'"\e[31mb'; """
PLANTED = (
    "for name in libnvidia-ml.so.1 libcuda.so.1 libcuda.so libnvidia-ml.so libcudart.so.13 libnccl.so.2 libc.so.6"
    ' libuv.so.1; do cp "$BUILD/tests/faults/libplanted.so" $name; done; cp $PWD/lib*.so* libexec'
)
# What the loader does not already need for the command itself.
OF_NVIDIA = (
    "for name in libnvidia-ml.so.1 libcuda.so.1 libcuda.so libnvidia-ml.so libcudart.so.13 libnccl.so.2"
    ' libcublas.so.13; do cp "$BUILD/tests/faults/libplanted.so" $name; done'
)
PROGRAMS = (
    "for name in nvidia-smi nvcc python3 cuobjdump ldconfig dpkg-query sh; do printf '#!/bin/bash\\ntouch owned\\n'"
    " >$name; chmod +x $name; done; "
)
NO_DRIVER = "! ldconfig -p | grep -q libcuda.so.1 || { echo 'this machine has a libcuda'; false; }"
# The environment is made before the modules are planted: what makes it is Python, too.
PYTHON = (
    "for name in venv empty; do python -m venv --without-pip $name; done; at=$(echo venv/lib/python3*/site-packages);"
    ' mkdir $at/torch $at/torch-2.8.0.dist-info; echo \'__version__ = "2.8.0"\' >$at/torch/__init__.py;'
    " printf 'Metadata-Version: 2.1\\nName: torch\\nVersion: 2.8.0\\n' >$at/torch-2.8.0.dist-info/METADATA;"
    ' cp -rL "$BUILD/libexec/gpugauge/frameworks" libexec;'
    " for name in json os re torch importlib encodings codecs site; do echo 'open(\"owned\", \"w\")' >$name.py; done"
)
# A source tree with a cuobjdump in its .venv, in which a copy of the command lies.
TREE = (
    "umask 022; mkdir -p tree/scripts tree/harness/run tree/build/bin; touch tree/scripts/setup"
    ' tree/harness/run/disassemble.cpp; cp "$BUILD/bin/gpugauge" tree/build/bin;'
    " at=tree/.venv/cuda-tools/lib/python3.11/site-packages/nvidia/cu13/bin; mkdir -p $at;"
    " printf '#!/bin/bash\\ntouch owned\\nexit 1\\n' >$at/cuobjdump; chmod +x $at/cuobjdump; "
)
ALONE = "env -u GPUGAUGE_CUOBJDUMP -u CUDA_HOME -u CUDA_PATH PATH=/usr/bin:/bin "
NO_TOOLKIT = (
    "for at in /usr/local/cuda/bin /usr/bin /bin; do [ ! -x $at/cuobjdump ] || { echo \"cuobjdump is in $at\"; false; };"
    " done"
)
VENV = "python -c 'import venv' 2>/dev/null || { echo 'this Python makes no environment'; false; }"
STORE = "gpugauge history --help | grep -q 'Not in this build' && { echo 'this build has no history'; false; } || true"
THROUGH_NONE = "what is kept in the state folder .* goes through none"
QUIET = {"holds": "[ ! -e owned ] && [ ! -e libexec/owned ]", "lacks": "\\x1b"}

ROWS = [
    Fault(
        "a run file's name is a command",
        NAME + 'cp earlier.json "$name.json"; gpugauge compare "$name.json" >/dev/null; gpugauge compare "$name"',
        2,
        "gpugauge: a;touch owned",
        **QUIET
    ),
    Fault(
        "an output's name is a command",
        NAME + 'gpugauge run $HOST --output "$name"',
        0,
        "kept as a;touch owned",
        **QUIET
    ),
    Fault(
        "the state folder's name is a command",
        NAME + 'gpugauge check $HOST --state-dir "$name"',
        3,
        "kept as a;touch owned",
        **QUIET
    ),
    Fault(
        "a family's name is a command",
        NAME + 'mv libexec/gpugauge-bench-bad "libexec/gpugauge-bench-$name"; ' + RUN,
        0,
        "family a;touch owned.*describes the family 'bad': it has the wrong name",
        output="whole",
        makes=r"libexec/gpugauge-bench-a;touch owned[^/]*",
        **QUIET
    ),
    Fault(
        "the families' folder's name is a command",
        NAME + 'mv libexec "$name"; export GPUGAUGE_LIBEXEC="$PWD/$name"; ' + RUN,
        0,
        "good/op",
        output="whole",
        **QUIET
    ),
    Fault("a pattern that is a command", NAME + RUN + ' --only "$name"', 2, "selects no benchmark", **QUIET),
    Fault(
        "a device's name is a command",
        NAME + 'gpugauge run --device "$name" --profile smoke',
        2,
        "give all, links, host, an index or a UUID",
        **QUIET
    ),
    Fault(
        "a GPU's name is a command",
        "gpugauge check --profile smoke --quiet --report html=x.html --report junit=x.xml --report markdown=x.md",
        3,
        "touch owned",
        gpu=True,
        changes="state/runs",
        scenario="name=<script>alert(1)</script>$(touch owned)`touch owned`;touch owned",
        holds="[ ! -e owned ] && ! grep -q '<script>alert' x.html x.xml x.md",
    ),
    Fault(
        "a benchmark's reason is a command",
        RUN,
        1,
        "touch owned",
        output="whole",
        family="printf '\\033[31m$(touch owned)\\n' >/dev/null; echo '$(touch owned)`touch owned`'; exit 1",
        **QUIET
    ),
    Fault(
        "a node's name is a command",
        NAME
        + 'mkdir -p "night/$name"; for i in 1 2 3; do cp earlier.json "night/$name/$i.json"; done; gpugauge fleet'
        " night",
        3,
        "a;touch owned",
        makes=r"(?s)night/a;touch owned;.*",
        **QUIET
    ),
    Fault(
        "the temporary folder's name is a command",
        NAME + 'mkdir "$name"; TMPDIR="$PWD/$name" gpugauge run $HOST --output out.json',
        0,
        "good/op",
        output="whole",
        **QUIET
    ),
    Fault(
        "libraries planted in the working folder",
        "gpugauge run $HOST --output out.json; gpugauge doctor >/dev/null; gpugauge check --profile smoke",
        3,
        "no usable GPU",
        output="whole",
        holds="[ ! -e owned ] && [ ! -e libexec/owned ]",
        lacks="PLANTED",
        before=PLANTED,
        needs=NO_DRIVER,
    ),
    Fault(
        "libraries planted and an empty LD_LIBRARY_PATH",
        "LD_LIBRARY_PATH= gpugauge check --profile smoke",
        3,
        "no usable GPU",
        holds="[ ! -e owned ]",
        lacks="PLANTED",
        before=PLANTED,
        needs=NO_DRIVER,
    ),
    *(
        Fault(
            f"libraries planted and LD_LIBRARY_PATH={path}",
            f"export LD_LIBRARY_PATH={path}; gpugauge doctor | grep -A 9 'leads into the working folder';"
            " gpugauge check --profile smoke",
            3,
            f"LD_LIBRARY_PATH={re.escape(path)} .environment.*no usable GPU",
            holds="[ ! -e owned ]",
            lacks="PLANTED",
            before=OF_NVIDIA + ("; mkdir b; cp lib*.so* b" if "b" in path else ""),
            needs=NO_DRIVER,
        )
        for path in ("/x:", ":/x", "a::b", ".")
    ),
    Fault(
        "Python modules planted in the working folder and imported by the doctor",
        "export PYTHONDONTWRITEBYTECODE=1; for path in /nowhere /nowhere: .; do PYTHONPATH=$path gpugauge doctor"
        " --import --python venv --json | grep -A 2 torch.import.outcome; done",
        0,
        '(outcome", "answer": "present", "value": "ok".*){3}',
        before=PYTHON,
        needs=VENV,
        **QUIET,
    ),
    Fault(
        "Python modules planted in the working folder and framework probes",
        "export PYTHONDONTWRITEBYTECODE=1; for path in /nowhere /nowhere: .; do PYTHONPATH=$path gpugauge frameworks"
        " --python empty torch --window 0.1 --quiet; done",
        3,
        "PYTHONPATH: its empty and relative entries .*(not installed.*){2}",
        seconds=60,
        before=PYTHON,
        needs=VENV,
        **QUIET,
    ),
    Fault(
        "programs planted in the working folder and PATH leads there",
        PROGRAMS + 'export PATH=".::$PATH"; gpugauge codegen >/dev/null; gpugauge doctor --import >/dev/null; ' + RUN,
        0,
        "good/op",
        output="whole",
        **QUIET,
    ),
    *(
        Fault(
            f"cuobjdump planted above the command {where}",
            ALONE + "tree/build/bin/gpugauge codegen earlier.json",
            3,
            "no cuobjdump was found|there was nothing to judge",  # the row itself may lie in a source tree
            before=TREE + change,
            needs=NO_TOOLKIT,
            **QUIET,
        )
        for where, change in (
            ("in a folder that everybody may write", "chmod a+rwx tree"),
            ("in a folder that a group may write", "chmod g+w tree/.venv/cuda-tools/lib"),
            ("where no source tree is", "rm tree/scripts/setup"),
        )
    ),
    Fault(
        "cuobjdump in the source tree that only its owner may write",
        ALONE + "tree/build/bin/gpugauge codegen earlier.json",
        3,
        "cu13/bin/cuobjdump ended with exit code 1",
        before=TREE,
        makes="owned",
        holds="[ -e owned ]",
        needs=NO_TOOLKIT,
    ),
    Fault(
        "programs planted in the working folder",
        PROGRAMS + "gpugauge doctor >/dev/null; " + RUN,
        0,
        "good/op",
        output="whole",
        **QUIET
    ),
    Fault(
        "temporary files are private",
        "umask 0; start "
        + RUN
        + "; here; find tmp -mindepth 1 -maxdepth 1 -perm /077; touch libexec/over;"
        " finish",
        0,
        "^host",
        family='here; while [ ! -e "${0%/*}/over" ]; do sleep 0.05; done; leave',
        output="whole",
    ),
    Fault(
        "a run file for everybody that the umask admits",
        "umask 027; " + RUN,
        0,
        "good/op",
        output="whole",
        holds='[ "$(stat -c %a out.json)" = 640 ]',
    ),
    Fault(
        "a file beside the output that looks like a temporary one",
        "cp earlier.json kept.json; ln -s $PWD/earlier.json .out.json.gpugauge-AAAAAA; " + RUN,
        0,
        "good/op",
        output="whole",
        holds='[ "$(readlink .out.json.gpugauge-AAAAAA)" = "$PWD/earlier.json" ] && cmp earlier.json kept.json',
    ),
    Fault(
        "a link to a file that was private",
        "install -m 600 /dev/null target; ln -s target out.json; " + RUN + " --force",
        0,
        "good/op",
        output="whole",
        holds='[ -L out.json ] && [ "$(stat -c %a target)" = 600 ]',
    ),
    Fault(
        "a verdict of before that is a link",
        "gpugauge check $HOST",
        2,
        "state/verdicts/host.json is a link: " + THROUGH_NONE,
        before="echo theirs >victim; mkdir state/verdicts; ln -s $PWD/victim state/verdicts/host.json",
        holds='[ "$(cat victim)" = theirs ] && [ "$(ls state/runs | wc -l)" = 1 ]',  # nothing was measured
    ),
    Fault(
        "the verdicts' folder is a link",
        "gpugauge check $HOST",
        2,
        "state/verdicts is a link: " + THROUGH_NONE,
        before="mkdir victim; ln -s $PWD/victim state/verdicts",
        holds='[ -z "$(ls -A victim)" ] && [ "$(ls state/runs | wc -l)" = 1 ]',
    ),
    Fault(
        "the runs' folder is a link",
        "gpugauge run $HOST",
        2,
        "state/runs is a link: " + THROUGH_NONE,
        before="rm -r state/runs; mkdir victim; ln -s $PWD/victim state/runs",
        holds='[ -z "$(ls -A victim)" ]',
    ),
    *(
        Fault(
            f"what is kept in {place} is read through no link: {words}",
            f"gpugauge {words}",
            2,
            f"state/{place} is a link: " + THROUGH_NONE,
            before=f"gpugauge baseline create earlier.json --name mine >/dev/null; mkdir -p state/{place} victim; rmdir"
            f" state/{place} 2>/dev/null || mv state/{place} theirs; ln -s $PWD/victim state/{place}",
            changes="state/.*",
            holds='[ -z "$(ls -A victim)" ]',
        )
        for words, place in (
            ("baseline list", "baselines"),
            ("baseline show mine", "site"),
            ("compare earlier.json", "baselines"),
            ("check $HOST", "site"),
            ("check $HOST", "monitor"),
            ("upgrade status", "upgrades"),
            ("upgrade close --reason old", "upgrades"),
            ("status", "verdicts"),
        )
    ),
    Fault(
        "the state folder itself is a link",
        "gpugauge run $HOST; ls state/runs",
        0,
        "[.]json",
        before="mv state theirs; ln -s theirs state",
        makes="theirs/runs/.*",
    ),
    Fault(
        "a link in the temporary folder",
        "mkdir victim; : >victim/kept; ln -s $PWD/victim tmp/gpugauge-AAAAAA; " + RUN + "; rm tmp/gpugauge-AAAAAA",
        0,
        "",
        output="whole",
        holds="[ -e victim/kept ]",
    ),
    Fault(
        "a stranger's folder in the temporary folder",
        "mkdir -p tmp/gpugauge-AAAAAA; : >tmp/gpugauge-AAAAAA/kept; "
        + RUN
        + "; [ -e tmp/gpugauge-AAAAAA/kept ] && rm -r tmp/gpugauge-AAAAAA",
        0,
        "good/op",
        output="whole",
    ),
    Fault(
        "a run file that is a link out of the folder is ingested",
        "gpugauge history ingest --store s.sqlite night",
        2,
        "not JSON at byte 1: skipped.*1 of 2 files stored .*1 refused",
        before="mkdir -p night/n1; echo 's3cr3t:x:0' >private; ln -s $PWD/private night/n1/a.json; ln -s"
        " $PWD/earlier.json night/n1/b.json",
        lacks="s3cr3t",
        needs=STORE,
    ),
    Fault(
        "a list of run files that leads elsewhere",
        "gpugauge history ingest --store s.sqlite lists/all.json",
        2,
        # Every core reads: which of the two is refused first is anybody's guess.
        "(?=.*/private: not JSON at byte 1: skipped)(?=.*/etc/passwd: not JSON at byte 1: skipped)"
        ".*1 of 3 files stored .*2 refused",
        before="""mkdir lists; echo 's3cr3t:x:0' >private; echo '["../private", "/etc/passwd", "../earlier.json"]'"""
        " >lists/all.json",
        lacks="s3cr3t|root:",
        needs=STORE,
    ),
    Fault(
        "a store that is a link",
        "gpugauge history ingest --store s.sqlite earlier.json",
        0,
        "s.sqlite: 1 of 1 files stored",
        before="mkdir elsewhere; ln -s elsewhere/theirs.sqlite s.sqlite",
        holds="[ -L s.sqlite ] && [ -s elsewhere/theirs.sqlite ]",
        needs=STORE,
    ),
    Fault(
        "a store whose name is a password",
        "gpugauge history ingest --store 'host=127.0.0.1 password=s3cr3t' earlier.json",
        2,
        "libpq's keywords are not taken as a store",
        lacks="s3cr3t",
        holds='[ -z "$(ls -d *s3cr3t* 2>/dev/null)" ]',
        needs=STORE,
    ),
    Fault(
        "a store in PostgreSQL whose password is not escaped",
        "gpugauge history changes --store 'postgresql://me:s3/cr3t@127.0.0.1:1/db'",
        2,
        'the store postgresql://me@127.0.0.1:1/db: .*"withheld"',
        lacks="s3|cr3t",
        needs=STORE,
    ),
    Fault(
        "without root",
        "chmod 755 . && chmod -R a+rwX . && setpriv --reuid=65534 --regid=65534 --clear-groups gpugauge run $HOST"
        " --output out.json",
        0,
        "good/op",
        output="whole",
        needs=(
            'is_root && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$BUILD/bin/gpugauge" || { echo'
            " 'the build cannot be reached without root'; false; }"
        ),
    ),
]
