import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { DatabaseServerError } from '@steward/db-adapters/server'
import type { DatabaseAccount, DatabaseServer } from '@steward/db-adapters/server'
import { act, machine, secrets, under, type Tables } from './machine.js'

const capabilities = Object.freeze({ users: true, onlineDump: true, toolDumps: true, server: true })

/** A database server of the simulated machine, with the contract of the real ones. */
export function simulatedDatabaseServer(): DatabaseServer {
  return {
    type: 'mysql',
    capabilities,
    probe: () => call(() => ({ server: 'Simulated 1.0', tools: {} })),
    exists: ({ name, user }) =>
      call(() => {
        const { databases, users } = machine.state
        const [hasDatabase, hasUser] = [databases.get(name)?.user === user, users.has(user)]
        return hasDatabase && hasUser ? 'yes' : hasDatabase || hasUser ? 'partial' : 'no'
      }),
    isEmpty: (account) => call(() => Object.keys(tablesOf(account)).length === 0),
    create: ({ name, user, password }) =>
      call(() => {
        const { databases, users } = machine.state
        secrets.add(password)
        act(`create user ${user}`, () => users.set(user, password))
        act(`create database ${name}`, () => {
          if (!databases.has(name)) databases.set(name, { user, tables: {} })
        })
      }),
    drop: ({ name, user }) =>
      call(() => {
        act(`drop database ${name}`, () => machine.state.databases.delete(name))
        act(`drop user ${user}`, () => machine.state.users.delete(user))
      }),
    marks: () => Promise.resolve(undefined),
    mark: () => Promise.resolve(),
    dump: (account) =>
      call(() => ({
        content: Readable.from([JSON.stringify(tablesOf(account))], { objectMode: false }),
        done: Promise.resolve(),
        tools: { simulated: '1.0' },
      })),
    async restore(account, content) {
      const tables = JSON.parse(await text(content)) as Tables
      await call(() => fill(account, tables))
    },
    copy: (from, to) => call(() => fill(to, tablesOf(from))),
    url: ({ name, user, password }) => `mysql://${user}:${password}@127.0.0.1:3306/${name}`,
    client: () => Promise.reject(new DatabaseServerError('ERR_NO_TOOL', 'There is no client.')),
    extent: (account) => call(() => ({ tables: Object.keys(tablesOf(account)).toSorted(), bytes: 1000 })),
    statistics: (account) =>
      call(() => ({
        rows: Object.fromEntries(Object.entries(tablesOf(account)).map(([name, rows]) => [name, rows.length])),
        bytes: 1000,
      })),
    changedSince: () => call(() => ({})),
    close: () => Promise.resolve(),
  }
}

/** As its user sees it. */
function tablesOf({ name, user, password }: DatabaseAccount): Tables {
  const { databases, users } = machine.state
  const database = databases.get(name)
  if (users.get(user) !== password) throw new DatabaseServerError('ERR_CREDENTIALS', `Access denied for "${user}".`)
  if (database?.user !== user) throw new DatabaseServerError('ERR_NOT_FOUND', `There is no database "${name}".`)
  return database.tables
}

/** Table by table, so that it can end in its middle. */
function fill(account: DatabaseAccount, tables: Tables): void {
  const into = tablesOf(account)
  for (const [name, rows] of Object.entries(tables)) act(`fill ${account.name}.${name}`, () => (into[name] = [...rows]))
}

function call<T>(work: () => T): Promise<T> {
  return under(
    machine.state.databaseServer,
    work,
    () => new DatabaseServerError('ERR_UNREACHABLE', 'The database server cannot be reached.'),
  )
}
