import { groupOf } from './attack.js'

/** `swap(path, target)` makes it a link, and then what it was. */
export const raceAttacks = groupOf('races', [
  {
    name: 'a folder that becomes a link to a folder of root',
    plant: 'mkdir -p data/d/x; touch data/d/x/1 data/d/x/2 data/d/x/3',
    during: { turn: `swap('data/d/x', process.env.VICTIM)`, restless: true },
  },
  {
    name: 'a folder that becomes a link, wherever it is moved',
    plant: 'mkdir -p data/held/x; touch data/held/x/1 data/held/x/2 data/held/x/3',
    during: {
      once: `globalThis.held = '/proc/self/fd/' + openSync('data/held', 'r') + '/'`,
      turn: `swap(held + 'x', process.env.VICTIM)`,
      restless: true,
    },
  },
  {
    name: 'a folder that becomes the data of another instance, wherever it is moved',
    plant: 'mkdir -p data/other/x; touch data/other/x/database.db data/other/x/1',
    during: {
      once: `globalThis.data = '/proc/self/fd/' + openSync('data/other', 'r') + '/'`,
      turn: `swap(data + 'x', process.env.OTHER + '/data')`,
      restless: true,
    },
  },
  {
    name: 'a file that becomes a link to a secret of root',
    plant: 'rm -f data/mine.txt; echo mine >data/mine.txt',
    during: { turn: `swap('data/mine.txt', process.env.SECRET)`, restless: true },
  },
  {
    name: 'a folder of packages that becomes one with paths out of it',
    plant: `mkdir -p app/node_modules/pkg "data/nm/pkg" "data/nm/@steward/app-server/dist"
      echo '{"name":"pkg","version":"1.0.0"}' >app/node_modules/pkg/package.json
      for p in pkg @steward/app-server; do printf '{"name":"%s","version":"1.0.0","type":"module","files":["../../../../../../config.sh","../../../../config.sh","../../../../../config.sh","../../../../../../../config.sh"],"dependencies":{"pkg":"*"}}' "$p" >"data/nm/$p/package.json"; done
      echo >data/nm/@steward/app-server/dist/cli.js`,
    during: { turn: `swap('app/node_modules', '../data/nm')`, restless: true },
  },
  {
    name: 'an older log that becomes the log of another instance',
    plant: 'rm -f logs/application.log.3; echo mine >logs/application.log.3',
    during: { turn: `swap('logs/application.log.3', process.env.OTHER + '/logs/application.log')`, restless: true },
  },
  {
    name: 'a token key that becomes a secret of root',
    plant: 'rm -f data/token.secret; echo mine >data/token.secret',
    during: { turn: `swap('data/token.secret', process.env.SECRET)`, restless: true },
  },
  {
    name: 'a database that becomes the one of another instance',
    during: { turn: `swap('data/database.db', process.env.OTHER + '/data/database.db')`, restless: true },
  },
  {
    name: 'documents that become those of another instance',
    plant: 'mkdir -p data/documents; echo mine >data/documents/canary.txt',
    during: { turn: `swap('data/documents', process.env.OTHER + '/data/documents')`, restless: true },
  },
  {
    name: 'a file that becomes a pipe',
    plant: 'rm -f data/sometimes; echo mine >data/sometimes; rm -f data/sometimes.pipe; mkfifo data/sometimes.pipe',
    during: { turn: `exchange('data/sometimes', 'data/sometimes.pipe')`, restless: true },
  },
])
