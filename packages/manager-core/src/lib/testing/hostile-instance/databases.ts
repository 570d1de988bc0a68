import { groupOf, type Attack } from './attack.js'

const drop = 'rm -rf data/database.db data/database.db-wal data/database.db-shm data/database.db-journal'

/** Each has the one database of the instance. */
const alone = (name: string, rest: Pick<Attack, 'plant' | 'during'>) =>
  groupOf(`database: ${name}`, [{ name, ...rest }])

const sql = (text: string) =>
  `node --no-warnings -e 'const { DatabaseSync } = require("node:sqlite"); new DatabaseSync("data/database.db").exec(process.argv[1])' '${text}'`

export const databaseAttacks = [
  ...alone('a database that is the one of another instance', {
    plant: `${drop}; ln -sfn "$OTHER/data/database.db" data/database.db`,
  }),
  ...alone('a database that is a secret of root', { plant: `${drop}; ln -sfn "$SECRET" data/database.db` }),
  ...alone('a database that is a pipe', { plant: `${drop}; mkfifo data/database.db` }),
  ...alone('a database that is a folder', { plant: `${drop}; mkdir data/database.db` }),
  ...alone('a database of bytes that are none', { plant: `${drop}; head -c 8192 /dev/urandom >data/database.db` }),
  ...alone('a journal that is a file of root', {
    plant: `rm -rf data/database.db-journal data/database.db-wal; ln -sfn "$VICTIM/precious.txt" data/database.db-journal; ln -sfn "$VICTIM/precious.txt" data/database.db-wal`,
  }),
  ...alone('a journal that is a pipe', { plant: 'rm -f data/database.db-wal; mkfifo data/database.db-wal' }),
  ...alone('a database that stays locked', {
    during: {
      once: `const { DatabaseSync } = require('node:sqlite'); globalThis.locked = new DatabaseSync('data/database.db'); locked.exec('pragma locking_mode = exclusive; begin exclusive')`,
    },
  }),
  ...alone('an index of the journal that shrinks while it is mapped', {
    plant: sql('pragma journal_mode = wal; insert into note (text) values (1)'),
    during: {
      once: `const { DatabaseSync } = require('node:sqlite'); globalThis.open = new DatabaseSync('data/database.db'); open.exec('pragma journal_mode = wal; insert into note (text) values (2)')`,
      turn: `try { truncateSync('data/database.db-shm', 0) } catch {}`,
    },
  }),
  ...alone('tables with names that are commands', {
    plant: sql(
      'create table if not exists "a""; drop table note; --" (x); create table if not exists "b\n\\! touch marks" (x); create table if not exists "c\u001b]0;title\u0007" ("__proto__", "d\n.shell touch marks")',
    ),
  }),
  ...alone('views and triggers that read files and never end', {
    plant: sql(
      'create view if not exists endless as with recursive c(x) as (select 1 union all select x + 1 from c) select x from c; create trigger if not exists loot after insert on note begin update note set text = (select count(*) from endless); end',
    ),
  }),
]
