# tests/cli/pages.bash itself: what takes a page's commands out of it must not lose any.
# shellcheck disable=SC2016 # the commands of a page stand in quotes until they are run
load common
load pages

@test "the commands of a page, in order, joined, without comments and other languages" {
  cat >page.md <<'PAGE'
# A page
```
export WORD=here     # a remark
# only a remark

echo "one $WORD" \
  two
```
```yaml
key: value
```
## Later
   ```sh
   false
   ```
### Last
```bash
echo three
```
PAGE
  run -0 page_commands page.md
  [ "${#lines[@]}" -eq 4 ]
  [[ ${lines[1]} == 'echo "one $WORD"   two' && ${lines[2]} == *false && ${lines[3]} == "echo three" ]]
  run -0 page_commands page.md Later
  [[ $output == *false && ${#lines[@]} -eq 1 ]]
  page_commands page.md >commands
  run -0 page_run <commands
  [[ $output == *'$ echo "one $WORD"   two'$'\none here two\n[0]\n'* ]]
  [[ $output == *$'false\n[1]\n'*$'three\n[0]' ]]
}

@test "a page without commands, and what is no command, are said" {
  echo "only words" >page.md
  run -1 page_commands page.md
  [[ $output == *"page.md shows no command"* ]]
  run -1 page_commands page.md Somewhere
  [[ $output == *'below "Somewhere"'* ]]
  printf '```\nfor i in 1 2; do\necho $i\ndone\n```\n' >loop.md
  run -1 page_commands loop.md
  [[ $output == *"no shell command on one line"* ]]
}
