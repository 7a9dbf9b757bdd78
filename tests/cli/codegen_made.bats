# gpugauge codegen on what a made cuobjdump prints: how it is asked, read and judged, in a build without CUDA, too. The real
# one reads real kernels in tests/codegen.
# shellcheck disable=SC2034  # common.bash reads it
WIDE=1
load common

# A cuobjdump of two kernels of ours, for two architectures, and one of another project. The text is that of 13.2; the file
# `said` keeps what it was asked, and files that are empty hold no code.
make_cuobjdump() {
  printf 'code\n' >family
  : >empty
  cat >cuobjdump <<'SH'
#!/bin/sh
here=$(dirname "$0")
printf '%s\n' "$*" >>"$here/said"
for file; do :; done
[ -s "$file" ] || { echo "cuobjdump info    : File '$file' does not contain device code" >&2; exit 255; }
case $1 in
--dump-resource-usage)
  for arch in sm_80 sm_90a; do
    cat <<TEXT

Fatbin elf code:
================
arch = $arch
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:0
 Function _ZN8gpugauge7planted11spin_kernelEm:
  REG:8 STACK:0 SHARED:24 LOCAL:0 CONSTANT[0]:360 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _ZN8gpugauge7planted12spill_kernelEm:
  REG:255 STACK:64 SHARED:0 LOCAL:0 CONSTANT[0]:360 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _ZN3cub6kernelEv:
  REG:8 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:360 TEXTURE:0 SURFACE:0 SAMPLER:0
TEXT
  done ;;
--dump-sass)
  cat <<TEXT

Fatbin elf code:
================
arch = $3

	code for $3
		Function : _ZN8gpugauge7planted11spin_kernelEm
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;                  /* 0x00000a00ff017624 */
                                                                                            /* 0x000fe400078e00ff */
        /*0010*/                   CS2R R2, SR_GLOBALTIMERLO ;                              /* 0x0000000000027805 */
        /*0020*/              @!P0 BRA 0x10 ;                                               /* 0xffffffa000008947 */
        /*0030*/                   EXIT ;                                                   /* 0x000000000000794d */
        /*0040*/                   BRA 0x40;                                                /* 0xfffffff000007947 */
		..........
		Function : _ZN8gpugauge7planted12spill_kernelEm
        /*0000*/                   STL [R1], R0 ;                                           /* 0x00000a00ff017624 */
        /*0010*/                   EXIT ;                                                   /* 0x000000000000794d */
		..........
TEXT
  ;;
esac
SH
  chmod +x cuobjdump
}

expect() {
  printf '{"schema": "gpugauge-codegen-1", "kernels": [%s]}\n' "$1" >expected.json
}

@test "each architecture is asked for once a file, and each kernel is judged on each" {
  make_cuobjdump
  expect '{"kernel": "gpugauge::planted::spin_kernel", "loop_least": {"CS2R": 1}}, {"kernel": "gpugauge::planted::spill_kernel"}'
  run -1 gpugauge codegen family --cuobjdump ./cuobjdump --expect expected.json
  # Two at a time: which of them writes first is chance.
  [ "$(sort said)" = "--dump-resource-usage family
--dump-sass --gpu-architecture sm_80 family
--dump-sass --gpu-architecture sm_90a family" ]
  [[ $output == *"broken: gpugauge::planted::spill_kernel on sm_80: 64 bytes of stack"* ]]
  [[ $output == *"broken: gpugauge::planted::spill_kernel on sm_90a: 64 bytes of stack"* ]]
  [[ $output == *"broken: gpugauge::planted::spill_kernel on sm_90a: 1 accesses to local memory"* ]]
  [[ $output != *"broken: gpugauge::planted::spin_kernel"* ]]
  [[ ${lines[-1]} == "failed: 2 kernels as declared, 2 broken, 2 without expectation (fails with --strict)" ]]
}

@test "without what spills it passes, and --json says what was found" {
  make_cuobjdump
  sed -i '/spill_kernel/,/EXIT\|REG/d' cuobjdump
  expect '{"kernel": "gpugauge::planted::spin_kernel", "loop_least": {"CS2R": 1}}'
  run -0 gpugauge codegen family --cuobjdump ./cuobjdump --expect expected.json
  [[ ${lines[-1]} == "pass: 2 kernels as declared, 2 without expectation (fails with --strict)" ]]
  gpugauge codegen family --cuobjdump ./cuobjdump --expect expected.json --json >report.json
  "$PYTHON" -c '
import json
report = json.load(open("report.json"))
assert report["passed"] and report["files"] == ["family"] and report["undeclared"] == 2 and report["kernels_of_other_projects"] == 0
first = report["kernels"][2]
assert (first["kernel"], first["architecture"], first["state"]) == ("gpugauge::planted::spin_kernel", "sm_80", "as declared"), first
assert first["registers"] == 8 and first["shared_bytes"] == 24 and first["opcodes"]["CS2R"] == 1, first
# What follows the end, a branch to itself, is no instruction of the kernel.
assert first["instructions"] == 4, first'
}

@test "an expectation without kernel, a kernel without expectation and a file without code are said" {
  make_cuobjdump
  expect '{"kernel": "gpugauge::planted::vanished_kernel"}'
  run -1 gpugauge codegen family empty --cuobjdump ./cuobjdump --expect expected.json
  [[ $output == *"without kernel: expected.json: kernels[0]: 'gpugauge::planted::vanished_kernel' names no kernel of these files"* ]]
  [[ $output == *"without code: empty holds no machine code of a GPU"* ]]
  [[ ${lines[-1]} == "failed: 0 kernels as declared, 6 without expectation (fails with --strict), 1 expectation without kernel, 1 file without machine code" ]]
  # The file without code is not asked for it.
  [[ $(grep -c 'dump-sass.* empty' said) == 0 ]]
}

@test "a file that was named and holds PTX alone, or no code, is no pass" {
  make_cuobjdump
  sed -i '/spill_kernel/,/EXIT\|REG/d' cuobjdump
  # shellcheck disable=SC2016 # of the stand-in
  sed -i 's/^case $1 in/grep -q ptx "$file" \&\& { echo; echo "Fatbin ptx code:"; echo "arch = sm_90"; exit 0; }\n&/' cuobjdump
  echo ptx >alone
  expect '{"kernel": "gpugauge::planted::spin_kernel"}'
  for file in alone empty; do
    run -3 gpugauge codegen family $file --cuobjdump ./cuobjdump --expect expected.json
    [[ $output == *"without code: $file holds no machine code of a GPU"* ]]
    [[ ${lines[-1]} == "cannot judge: 2 kernels as declared, "*", 1 file without machine code" ]]
    run -3 gpugauge codegen $file --cuobjdump ./cuobjdump
    [[ $output == *"nothing to judge"* ]]
  done
  # What is broken counts before.
  expect '{"kernel": "gpugauge::planted::spin_kernel", "least": {"HMMA": 1}}'
  run -1 gpugauge codegen family alone --cuobjdump ./cuobjdump --expect expected.json
}

@test "expectations that declare no kernel are refused" {
  make_cuobjdump
  expect ''
  run -2 gpugauge codegen family --cuobjdump ./cuobjdump --expect expected.json
  [[ $output == *"expected.json: kernels: declares no kernel, so there is nothing to judge by"* ]]
}

@test "what a broken cuobjdump leaves is no verdict" {
  make_cuobjdump
  run -3 gpugauge codegen family --cuobjdump /bin/false
  [[ $output == *"family: /bin/false ended with exit code 1"* ]]
  run -3 gpugauge codegen empty --cuobjdump ./cuobjdump
  [[ $output == *"none of these files holds a kernel of this project: there was nothing to judge"* ]]
  run -2 gpugauge codegen nowhere --cuobjdump ./cuobjdump
  [[ $output == *"nowhere is no file"* ]]
  run -2 gpugauge codegen family --cuobjdump nowhere
  [[ $output == *"nowhere is no file"* ]]
}

# A cuobjdump that prints what stands in FILE.resources and FILE.sass.
printing_cuobjdump() {
  cat >cuobjdump <<'SH'
#!/bin/sh
for file; do :; done
case $1 in
--dump-resource-usage) cat "$file.resources" ;;
--dump-sass) sed -n "/^arch = $3\$/,/^end/p" "$file.sass" ;;
esac
SH
  chmod +x cuobjdump
}

# copy FILE ARCHITECTURE STACK OPCODE...: one more copy of the kernel `k` in FILE.
copy() {
  local file=$1 architecture=$2 stack=$3 at=0 opcode
  shift 3
  echo code >"$file"
  printf 'arch = %s\n Function k:\n  REG:8 STACK:%s SHARED:0\n' "$architecture" "$stack" >>"$file.resources"
  printf 'arch = %s\n\t\tFunction : k\n' "$architecture" >>"$file.sass"
  for opcode; do
    printf '  /*%04x*/  %s R0 ;  /* 0x0 */\n' "$at" "$opcode" >>"$file.sass"
    at=$((at + 16))
  done
  echo end >>"$file.sass"
}

codegen_of_k() { gpugauge codegen "$@" --cuobjdump ./cuobjdump --expect expected.json --strict; }

@test "every body of a kernel is judged, whichever file or part of a file comes first" {
  printing_cuobjdump
  expect '{"kernel": "k", "architectures": ["sm_90a"], "least": {"HGMMA": 1}}'
  copy a.o sm_90a 0 HGMMA EXIT
  copy b.o sm_90a 64 STL FFMA EXIT
  copy both.a sm_90a 0 HGMMA EXIT
  copy both.a sm_90a 64 STL FFMA EXIT
  copy twice.a sm_90a 0 HGMMA EXIT
  copy twice.a sm_90a 0 HGMMA EXIT
  for order in "a.o b.o" "b.o a.o" both.a "twice.a both.a"; do
    # shellcheck disable=SC2086 # two files
    run -1 codegen_of_k $order
    [[ $output == *"broken: k on sm_90a in "?*": 64 bytes of stack"* ]]
    [[ $output == *"broken: k on sm_90a in "?*": 0 HGMMA, and at least 1 are declared"* ]]
    [[ ${lines[-1]} == "failed: 1 kernel as declared, 1 broken" ]]
  done
  run -1 codegen_of_k a.o b.o
  [[ $output == *"broken: k on sm_90a in b.o: "* ]]
  [[ $output != *"in a.o: "* ]]
  run -0 codegen_of_k a.o twice.a
  [[ ${lines[-1]} == "pass: 1 kernel as declared" ]]
}

@test "a declared architecture without code is no pass" {
  printing_cuobjdump
  expect '{"kernel": "k", "architectures": ["sm_90a"], "least": {"HGMMA": 1}}'
  copy stub.o sm_80 0 EXIT
  run -1 codegen_of_k stub.o
  [[ $output == *"without code: expected.json: kernels[0]: 'k' on sm_90a is declared, and these files hold no code for it"* ]]
  [[ ${lines[-1]} == "failed: 1 kernel as declared, 1 declared architecture without code" ]]
  copy stub.o sm_90a 0 HGMMA EXIT
  run -0 codegen_of_k stub.o
}
