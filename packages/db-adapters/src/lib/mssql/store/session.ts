import type { Connection as Client } from 'tedious'
import { number } from '../../schema/rows.js'
import type { MssqlConfig } from './config.js'
import type { Tedious } from './connect.js'
import { MssqlConnection } from './connection.js'

/** One per client: it listens for its end. */
const connections = new WeakMap<object, MssqlConnection>()

/** Takes a connection of `tedious` that the store has not opened. */
export function connectTo(raw: object, driver: Tedious, config: MssqlConfig): MssqlConnection {
  let connection = connections.get(raw)
  if (!connection) {
    const { statementTimeoutMs } = config
    connection = new MssqlConnection({ driver, client: raw as Client, statementTimeoutMs })
    connections.set(raw, connection)
  }
  return connection
}

/** How the driver gives rows; a connection of the store has it so from the start. */
const forms = { useColumnNames: false, useUTC: true, camelCaseColumns: false, columnNameReplacer: undefined }

/** @returns what puts them back */
function takeForms(client: object): () => void {
  const { options } = (client as { readonly config: { readonly options: Record<string, unknown> } }).config
  const before = Object.fromEntries(Object.keys(forms).map((name) => [name, options[name]]))
  Object.assign(options, forms)
  return () => void Object.assign(options, before)
}

const xactAbort = 16_384

/** Sets what statements need. @returns puts the settings back */
export async function prepareSession(
  connection: MssqlConnection,
  { setUp }: MssqlConfig,
): Promise<() => Promise<void>> {
  const putFormsBack = takeForms(connection.raw)
  try {
    const [row = {}] = await connection.rows('select @@lock_timeout as lock_timeout, @@options as options')
    const abort = ((number(row, 'options') ?? 0) & xactAbort) === 0 ? 'off' : 'on'
    const settings = `set xact_abort ${abort}; set lock_timeout ${number(row, 'lock_timeout') ?? -1}`
    // A statement that is refused would end the whole transaction otherwise.
    await connection.prepare(setUp)
    return async () => {
      try {
        await connection.run(settings)
      } finally {
        putFormsBack()
      }
    }
  } catch (error) {
    putFormsBack()
    throw error
  }
}
