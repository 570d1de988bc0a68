import { groupOf } from './attack.js'

/** Files of an application that programs read, and what they may make of them. */
const quiet = groupOf('quiet', [
  {
    name: 'a package that names files outside of it',
    plant: `mkdir -p data/pkg/nm/loot app/node_modules
      printf '{"name":"loot","version":"1.0.0","files":["../../../../../../config.sh","%s","../../../../../../../../../../../../etc/shadow"],"dependencies":{"../../../..":"*"}}' "$SECRET" >data/pkg/nm/loot/package.json
      ln -sfn ../../data/pkg/nm/loot app/node_modules/loot`,
  },
  {
    name: 'a package with scripts',
    plant: `echo "{\\"name\\":\\"app\\",\\"scripts\\":{\\"preinstall\\":\\"touch $MARKS/npm\\",\\"prepare\\":\\"touch $MARKS/npm\\"}}" >app/package.json
      printf 'node-options=--require=%s/data/evil.cjs\\nscript-shell=%s/data/evil.sh\\n' "$PWD" "$PWD" >app/.npmrc`,
  },
  {
    name: 'files of settings for programs',
    plant: `printf 'NODE_OPTIONS=--require=%s/data/evil.cjs\\nBASH_ENV=%s/data/evil.sh\\n' "$PWD" "$PWD" >app/.env
      echo "require('node:fs').closeSync(require('node:fs').openSync('$MARKS/require', 'a'))" >data/evil.cjs
      printf '#!/bin/sh\\ntouch %s/bash-env\\n' "$MARKS" >data/evil.sh; chmod 755 data/evil.sh`,
  },
  {
    name: 'hooks of its own',
    plant: `mkdir -p app/hooks data/hooks
      for h in pre-start post-start pre-upgrade post-upgrade monitoring; do for d in app data; do printf '#!/bin/sh\\ntouch "%s/hook"\\n' "$MARKS" >"$d/hooks/$h.sh"; chmod 755 "$d/hooks/$h.sh"; done; done`,
  },
  {
    name: 'a repository of git with hooks and filters',
    plant: `mkdir -p app/.git/hooks; printf '[core]\\nfsmonitor = touch %s/git\\n[filter "x"]\\nsmudge = touch %s/git\\n' "$MARKS" "$MARKS" >app/.git/config; echo '* filter=x' >app/.gitattributes`,
  },
  {
    name: 'programs with the names of those that root runs',
    plant: `mkdir -p data/bin; for p in tar zstd rm chown sh node git npm psql sqlite3; do printf '#!/bin/sh\\ntouch "%s/program"\\n' "$MARKS" >"data/bin/$p"; chmod 755 "data/bin/$p"; cp "data/bin/$p" "data/$p"; done`,
  },
])

/** The application server that an application brings; its programs run as the account. */
const server = (name: string, task: string) =>
  groupOf(name, [
    {
      name,
      plant: `mkdir -p app/node_modules/@steward/app-server/dist
        echo '{"name":"@steward/app-server","version":"0.0.0","type":"module"}' >app/node_modules/@steward/app-server/package.json
        cat >app/node_modules/@steward/app-server/dist/cli.js <<'END'
if (process.argv.slice(3).some((one) => one.startsWith('--') && one !== '--data')) { ${task} }
await import(process.env.FAKE_SERVER)
END
        sed -i "s|process.env.FAKE_SERVER|'$FAKE_SERVER'|" app/node_modules/@steward/app-server/dist/cli.js`,
    },
  ])

const servers = [
  ...server(
    'programs: output without an end',
    `const { writeSync } = await import('node:fs'); for (;;) try { writeSync(1, 'x'.repeat(65536)) } catch {}`,
  ),
  ...server(
    'programs: errors without an end',
    `const { writeSync } = await import('node:fs'); for (;;) try { writeSync(2, 'x'.repeat(65536)) } catch {}`,
  ),
  ...server('programs: no answer', `await new Promise(() => setInterval(() => undefined, 60_000))`),
  ...server(
    'programs: a child that keeps the streams',
    `const { spawn } = await import('node:child_process'); spawn('sleep', ['1000'], { stdio: 'inherit', detached: true }).unref(); process.exit(0)`,
  ),
  ...server(
    'programs: answers that are none',
    `process.stdout.write('{"format":"steward-check","version":1,"problems":{"length":1e9},"documents":"/etc","objects":[null]}\\n'); process.exit(0)`,
  ),
]

const description = [
  ...groupOf('description: commands for a terminal', [
    {
      name: 'a description with commands for a terminal',
      plant: `printf 'name: "fake"\\ntitle: "\\\\e]0;title\\\\a\\\\u202e"\\nversion: "1.0.0\\\\e[2J"\\n' >app/app.yaml`,
    },
  ]),
  ...groupOf('description: aliases', [
    {
      name: 'a description that grows when it is read',
      plant: `{ echo 'a0: &a0 [x, x, x, x, x, x, x, x, x]'; for i in $(seq 9); do echo "a$i: &a$i [*a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1))]"; done; echo 'name: *a9'; echo 'version: *a9'; } >app/app.yaml`,
    },
  ]),
  ...groupOf('description: another file', [
    { name: 'a description that is the settings of the manager', plant: 'ln -sfn "$CONFIG" app/app.yaml' },
  ]),
  ...groupOf('application server: another one', [
    {
      name: 'a pinned application server that is elsewhere',
      plant: `for f in steward-server .steward-server application-server server.json; do printf '../../../..%s' "$PWD/data" >"app/$f"; done
        mkdir -p app/node_modules/@steward; ln -sfn "$VICTIM" app/node_modules/@steward/app-server`,
    },
  ]),
  ...groupOf('record of patches', [
    {
      name: 'a record of patches that is not one',
      plant: `rm -f data/patches.json; echo '{"imported":{"length":1e9,"__proto__":[]}}' >data/patches.json`,
    },
  ]),
]

export const packageAttacks = [...quiet, ...servers, ...description]
