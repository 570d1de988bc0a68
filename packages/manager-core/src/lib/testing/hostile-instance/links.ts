import { groupOf } from './attack.js'

/** Links that lead out of the instance: whatever reads, copies, gives or removes them must not follow. */
const out = groupOf('links', [
  { name: 'a link to a secret of root', plant: 'ln -sfn "$SECRET" data/secret.txt' },
  { name: 'a link to a folder of root', plant: 'ln -sfn "$VICTIM" data/victim' },
  { name: 'a link to the settings of the manager in the application', plant: 'ln -sfn "$CONFIG" app/config.sh' },
  { name: 'a link to the settings of another instance', plant: 'ln -sfn "$OTHER/settings.sh" data/settings.sh' },
  { name: 'documents that are those of another instance', plant: 'ln -sfn "$OTHER/data/documents" data/documents' },
  { name: 'a link to the root of the machine', plant: 'ln -sfn /proc/self/root data/root' },
  { name: 'a link to the open files of its reader', plant: 'mkdir -p data/fd; ln -sfn /proc/self/fd/0 data/fd/0' },
  { name: 'a link to /etc as a temporary folder', plant: 'ln -sfn /etc data/tmp; ln -sfn /etc app/tmp' },
  { name: 'a token key that is a secret of root', plant: 'ln -sfn "$SECRET" data/token.secret' },
  {
    name: 'a record of patches that is a file of root',
    plant: 'ln -sfn "$VICTIM/precious.txt" data/patches.json; ln -sfn "$VICTIM/new" data/patches.json.new',
  },
  {
    name: 'a hard link to a file of another instance',
    plant: 'ln -f "$OTHER/data/documents/canary.txt" data/hard.txt',
  },
  { name: 'a link through its own folders', plant: 'mkdir -p data/a/b; ln -sfn "a/b/../../../../../.." data/up' },
])

/** Links that stay inside. */
const inside = groupOf('quiet', [
  { name: 'a link to itself', plant: 'ln -sfn self data/self' },
  { name: 'folders that contain themselves', plant: 'mkdir -p data/loop; ln -sfn . data/loop/loop' },
  { name: 'a chain of links', plant: 'for i in $(seq 60); do ln -sfn "chain$((i + 1))" "data/chain$i"; done' },
])

/** Names that programs may take for something else. */
const names = groupOf('quiet', [
  {
    name: 'names that look like options of tar',
    plant: `mkdir -p data/options; cd data/options; touch -- '--checkpoint=1' '--checkpoint-action=exec=sh run' '--to-command=sh run' '-rf' '--'; echo "touch $MARKS/tar" >run`,
  },
  {
    name: 'names that look like commands of a shell',
    plant: `mkdir -p data/commands; cd data/commands; touch -- '$(touch shell)' '\`touch shell\`' '; touch shell' '| touch shell'`,
  },
  {
    name: 'names with line breaks, escape sequences and bytes that are not text',
    plant: `mkdir -p data/bytes; cd data/bytes; touch -- "$(printf 'two\\nlines')" "$(printf 'esc\\033]0;title\\007')" "$(printf '\\377\\376')" "$(printf '\\342\\200\\256gpj.exe')"`,
  },
  { name: 'a name of 255 bytes', plant: `touch "data/$(printf '%0255d' 0)"` },
  {
    name: 'names that leave with a backslash',
    plant: `mkdir -p data/back; touch 'data/back/..\\..\\up' 'data/back/C:up'`,
  },
])

const unreadable = groupOf('unreadable', [
  { name: 'folders that cannot be entered', plant: 'mkdir -p data/shut/in; chmod 0 data/shut' },
  {
    name: 'a path that is longer than the system allows',
    plant: `cd data; for i in $(seq 25); do n=$(printf '%0200d' "$i"); mkdir -p "$n"; cd -P "$n" || exit; done; touch end`,
  },
])

export const linkAttacks = [...out, ...inside, ...names, ...unreadable]
