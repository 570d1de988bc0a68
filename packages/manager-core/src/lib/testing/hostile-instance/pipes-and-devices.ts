import { groupOf } from './attack.js'

/** Who opens a pipe waits for its other side. */
const pipes = groupOf('pipes', [
  { name: 'a pipe among its data', plant: 'test -p data/pipe || mkfifo data/pipe' },
  { name: 'a pipe among its documents', plant: 'mkdir -p data/documents; cd data/documents; test -p 1 || mkfifo 1' },
  { name: 'a pipe among its patches', plant: 'mkdir -p app/patches; cd app/patches; test -p 1.xml || mkfifo 1.xml' },
  {
    name: 'a pipe as a downloaded package',
    plant: 'mkdir -p app/node_modules/p; cd app/node_modules/p; test -p package.json || mkfifo package.json',
  },
  {
    name: 'pipes in run/',
    plant: 'for f in application.new exit.new debugger.new suspended.new; do test -p "run/$f" || mkfifo "run/$f"; done',
  },
  { name: 'a record of patches that is a pipe', plant: 'rm -f data/patches.json; mkfifo data/patches.json' },
  {
    name: 'a socket among its data',
    during: { once: `rmSync('data/socket', { force: true }); createServer().listen('data/socket')` },
  },
])

const devices = groupOf('quiet', [
  { name: 'a device that it makes', plant: 'mknod data/null c 1 3; mknod data/disk b 7 0' },
  {
    name: 'a device that it makes as root of its own user namespace',
    plant: `unshare --user --map-root-user sh -c 'mknod data/null c 1 3; chown 0:0 data; touch "$MARKS/namespace"'`,
  },
])

const setUid = groupOf('set-uid', [
  {
    name: 'programs with the rights of their owner and group',
    plant: 'cp /bin/true data/set-uid; chmod 4777 data/set-uid; cp /bin/true data/set-gid; chmod 2777 data/set-gid',
  },
  {
    name: 'a program of its own that is set-uid in the application',
    plant: 'cp /bin/true app/tool; chmod 6777 app/tool',
  },
])

const alone = [
  ...groupOf('pipe as the description', [
    { name: 'an app.yaml that is a pipe', plant: 'rm -f app/app.yaml; mkfifo app/app.yaml' },
  ]),
  ...groupOf('pipe as the key', [
    { name: 'a token key that is a pipe', plant: 'rm -f data/token.secret; mkfifo data/token.secret' },
  ]),
]

export const pipeAttacks = [...pipes, ...devices, ...setUid, ...alone]
