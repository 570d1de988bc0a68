import type { DatabaseSync } from 'node:sqlite'
import { ManagerError } from '../../errors.js'

/** Each brings the registry one step further; only ever appended to. `user_version` counts them. */
const migrations = [
  `create table instance (
     id text primary key,
     name text not null,
     name_key text not null unique,
     version text not null,
     version_date text not null,
     revision text not null,
     desired text not null check (desired in ('started', 'stopped')),
     observed text not null,
     protected integer not null,
     auto_update integer not null,
     auto_save integer not null,
     database text not null,
     port integer not null unique,
     custom_url text not null default '',
     source text not null,
     owner_email text not null default '',
     firstname text not null default '',
     lastname text not null default '',
     phone text not null default '',
     company text not null default '',
     created text not null,
     updated text not null,
     operation text not null default ''
   ) without rowid;
   create table version (
     version text primary key,
     title text not null,
     date text not null,
     revision text not null,
     location text not null,
     fetched text not null,
     folder text not null
   ) without rowid;
   create table request (
     id integer primary key,
     name text not null,
     version text not null,
     email text not null,
     firstname text not null default '',
     lastname text not null default '',
     phone text not null default '',
     company text not null default '',
     status text not null,
     instance text not null default '',
     created text not null
   );
   create table operation (
     id text primary key,
     kind text not null,
     instance_id text not null,
     instance text not null,
     title text not null,
     actor text not null,
     surface text not null,
     request text not null,
     facts text not null,
     locks text not null,
     state text not null,
     owner text not null,
     started text not null,
     ended text,
     message text not null default '',
     warnings text not null default '[]'
   ) without rowid;
   create index operation_state on operation (state) where state not in ('succeeded', 'rolled_back');
   create table step (
     operation text not null references operation (id) on delete cascade,
     seq integer not null,
     step text not null,
     state text not null,
     intent text,
     outcome text,
     started text not null,
     ended text,
     primary key (operation, seq)
   ) without rowid;
   create table history (
     id integer primary key autoincrement,
     at text not null,
     actor text not null,
     surface text not null,
     action text not null,
     instance_id text not null,
     instance text not null,
     parameters text not null,
     result text not null,
     message text not null,
     operation text not null,
     duration integer not null
   );
   create index history_instance on history (instance_id, id);`,
  `alter table instance add column proved text not null default ''`,
  `alter table history add column address text not null default '';
   alter table history add column hash text not null default '';
   create table token (
     id text primary key,
     name text not null unique collate nocase,
     hash text not null,
     abilities text not null,
     instances text,
     created text not null,
     created_by text not null,
     expires text not null default '',
     last_used text not null default ''
   ) without rowid;
   create table sample (
     instance_id text not null,
     at integer not null,
     ok integer not null,
     reason text not null,
     response_ms integer not null,
     memory_mb real,
     cpu_percent real,
     disk_mb real,
     primary key (instance_id, at)
   ) without rowid;
   create index sample_at on sample (at);
   create table incident (
     id integer primary key autoincrement,
     opened text not null,
     closed text not null default '',
     message text not null
   );
   create table incident_instance (
     incident integer not null references incident (id) on delete cascade,
     instance_id text not null,
     instance text not null,
     reason text not null,
     opened text not null,
     closed text not null default '',
     primary key (incident, instance_id)
   ) without rowid;
   alter table request add column address text not null default '';
   alter table request add column token_hash text not null default '';
   alter table request add column language text not null default '';
   alter table request add column note text not null default '';
   alter table request add column confirmed text not null default '';
   alter table request add column decided text not null default '';
   alter table request add column decided_by text not null default '';`,
  `alter table operation add column address text not null default ''`,
  `alter table incident add column told text not null default ''`,
  `create table reserved_port (
     port integer primary key,
     operation text not null
   )`,
  `create index operation_started on operation (started)`,
  `alter table token add column hosts text not null default ''`,
  `create table registry (
     one integer primary key check (one = 1),
     id text not null,
     changes integer not null
   );
   insert into registry values (1, lower(hex(randomblob(6))), 1);
   ${[
     ['instance', 'insert'],
     ['instance', 'delete'],
     [
       'instance',
       `update of id, name, version, version_date, revision, desired, protected, auto_update, auto_save, database, port,
        custom_url, source, owner_email, firstname, lastname, phone, company, proved`,
     ],
     ['version', 'insert'],
     ['version', 'delete'],
     ['token', 'insert'],
     ['token', 'delete'],
     ['request', 'insert'],
     ['request', 'delete'],
     ['request', 'update'],
   ]
     .map(
       ([table, event], n) =>
         `create trigger change_${n} after ${event} on ${table} begin update registry set changes = changes + 1; end;`,
     )
     .join('\n')}`,
  `alter table instance add column installed_version text not null default '';
   alter table instance add column held_revision text not null default '';
   create trigger change_held after update of installed_version, held_revision on instance
     begin update registry set changes = changes + 1; end;`,
  `create table version_look (
     version text primary key,
     at text not null,
     problem text not null default ''
   ) without rowid`,
  `create table password_link (
     token_hash text primary key,
     request integer not null,
     instance_id text not null,
     expires text not null,
     used text not null default ''
   ) without rowid;`,
  `alter table instance add column proved_backup text not null default ''`,
  // Those that are there run as processes on this machine.
  `alter table instance add column runtime text not null default 'process';
   alter table instance add column host text not null default '127.0.0.1';
   create trigger change_place after update of runtime, host on instance
     begin update registry set changes = changes + 1; end;`,
  `create table document_bucket (
     address text primary key,
     unused_since text not null default ''
   ) without rowid;`,
  `create table session (
     hash text primary key,
     id text not null unique,
     key_hash text not null,
     credential text not null,
     token text references token (id) on delete cascade,
     actor text not null,
     address text not null,
     stays integer not null,
     created text not null,
     last_used text not null,
     expires text not null
   ) without rowid;`,
  `create table home_place (
     one integer primary key check (one = 1),
     path text not null,
     inode text not null,
     machine text not null,
     since text not null
   );
   create trigger change_home after insert on home_place begin update registry set changes = changes + 1; end;`,
  `create table clock_seen (
     one integer primary key check (one = 1),
     wall integer not null,
     believed integer not null,
     uptime real not null,
     boot text not null,
     doubted integer
   );`,
]

/** What is about this machine and this moment. */
const passing: ReadonlySet<string> = new Set(['sample', 'session', 'clock_seen'])

/** The tables that a copy of a registry has; that of the registry itself comes last, as changes of others are counted there. */
export function tablesOf(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`).all()
  const names = rows.map(({ name }) => String(name)).filter((name) => name !== 'registry' && !passing.has(name))
  return [...names.toSorted(), 'registry']
}

/** @throws ManagerError ERR_STATE when it is of a newer manager. */
export function migrate(database: DatabaseSync): void {
  if (versionOf(database) === migrations.length) return
  database.exec('begin immediate')
  try {
    // Another process may have been first.
    const version = versionOf(database)
    if (version > migrations.length)
      throw new ManagerError('ERR_STATE', 'The registry (manager.db) was written by a newer version of the manager.', {
        help: 'Use that version, or a newer one still.',
      })
    for (const sql of migrations.slice(version)) database.exec(sql)
    database.exec(`pragma user_version = ${migrations.length}; commit`)
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version)
}
