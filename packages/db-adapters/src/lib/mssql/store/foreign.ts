import type { Connection as Client } from 'tedious'
import { StoreError } from '@steward/rest-core/errors'
import type { JoinedConnection } from '../../pool/joined-connection.js'
import { sessionsOn } from '../../pool/session.js'
import { number } from '../../schema/rows.js'
import type { MssqlConfig } from './config.js'
import { loadTedious } from './connect.js'
import { MssqlConnection } from './connection.js'

/** A connection of `tedious`. */
export function isMssqlClient(given: object): given is Client {
  return 'execSqlBatch' in given && 'execSql' in given && 'beginTransaction' in given
}

/** One per client: it listens for its end. */
const connections = new WeakMap<object, MssqlConnection>()

async function connectionOf(client: Client, statementTimeoutMs: number): Promise<MssqlConnection> {
  let connection = connections.get(client)
  if (!connection) {
    connection = new MssqlConnection({ driver: await loadTedious(), client, statementTimeoutMs })
    connections.set(client, connection)
  }
  return connection
}

/** How the driver gives rows; a connection of the store has it so from the start. */
const forms = { useColumnNames: false, useUTC: true, camelCaseColumns: false, columnNameReplacer: undefined }

/** @returns what puts them back */
function takeForms(client: Client): () => void {
  const { options } = (client as unknown as { readonly config: { readonly options: Record<string, unknown> } }).config
  const before = Object.fromEntries(Object.keys(forms).map((name) => [name, options[name]]))
  Object.assign(options, forms)
  return () => void Object.assign(options, before)
}

const savepoint = 'steward'
const xactAbort = 16_384

/** Joins the transaction that is open on a connection. The application sends nothing on it during a call. */
export async function join(client: Client, config: MssqlConfig): Promise<JoinedConnection> {
  const connection = await connectionOf(client, config.statementTimeoutMs)
  let settings = ''
  let putFormsBack = (): void => {}
  let isPrepared = false
  return {
    get usable() {
      return connection.usable
    },
    schema: connection,
    session: sessionsOn(connection),
    async enter() {
      putFormsBack = takeForms(client)
      try {
        const [row = {}] = await connection.rows(
          'select @@trancount as transactions, @@lock_timeout as lock_timeout, @@options as options',
        )
        if (number(row, 'transactions') === 0) {
          const text = 'No transaction is open on the connection. Start one before the store joins it.'
          throw new StoreError('internal', text)
        }
        const abort = ((number(row, 'options') ?? 0) & xactAbort) === 0 ? 'off' : 'on'
        settings = `set xact_abort ${abort}; set lock_timeout ${number(row, 'lock_timeout') ?? -1}`
        if (!isPrepared) await connection.prepare(`set xact_abort ${abort}`)
        isPrepared = true
        // A statement that is refused would end the whole transaction otherwise.
        await connection.run(`${config.setUp}; save transaction ${savepoint}`)
      } catch (error) {
        putFormsBack()
        throw error
      }
    },
    async leave() {
      try {
        await connection.run(settings)
      } finally {
        putFormsBack()
      }
    },
    async undo() {
      try {
        await connection.run(`${settings}; if @@trancount > 0 rollback transaction ${savepoint}`)
      } finally {
        putFormsBack()
      }
    },
  }
}
