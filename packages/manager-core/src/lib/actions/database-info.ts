import { countText, sizeText } from '../domain/readable.js'
import { defineAction } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

/** The database of an instance, as `dbinfo` answers it. */
export type WireDatabase = {
  readonly type: string
  /** Product and version. */
  readonly server: string
  /** Empty and 0: it is embedded. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly exists: boolean
  readonly bytes?: number
  readonly tables?: number
  /** Only when they were counted. */
  readonly rows?: number
}

/** One of its tables, when their rows were counted. */
export type WireTable = { readonly table: string; readonly rows: number }

export const databaseInfo = defineAction({
  name: 'dbinfo',
  group: 'Looking',
  summary: 'Show the database of an instance: address, size and tables',
  description:
    '--rows counts the rows of each table, which can take a while. To open the client of the database, use ' +
    '"database".',
  parameters: [nameOfInstance],
  options: [{ name: 'rows', type: 'flag', summary: 'Count the rows of each table' }],
  ability: 'read',
  mutating: false,
  examples: ['dbinfo demo', 'dbinfo demo --rows --json'],
  view: { type: 'record' },
  async handler({ context, input }) {
    const { id, name } = input.name
    const { folder } = context.home.instance(id)
    const settings = await context.settings.instance(folder)
    const server = context.databases.server(settings.database)
    const account = context.databases.account(folder, settings)
    const { server: version } = await server.probe()
    const item: WireDatabase = {
      type: settings.database,
      server: version,
      host: settings.databaseHost ?? '',
      port: settings.databasePort ?? 0,
      database: settings.databaseName,
      user: settings.databaseUser,
      exists: (await server.exists(account)) === 'yes',
    }
    if (!item.exists) return { message: `The database of "${name}" is gone: ${item.database}.`, item, exitCode: 1 }
    if (!input.rows) {
      const { tables, bytes } = await server.extent(account)
      return {
        message: `The database of "${name}" has ${countText(tables.length, 'table')}, ${sizeText(bytes)}.`,
        item: { ...item, bytes, tables: tables.length } satisfies WireDatabase,
        list: tables.map((table) => ({ table })),
      }
    }
    const { rows: counts, bytes } = await server.statistics(account)
    const list: readonly WireTable[] = Object.entries(counts).map(([table, rows]) => ({ table, rows }))
    const rows = Object.values(counts).reduce((sum, one) => sum + one, 0)
    const [ofRows, ofTables] = [countText(rows, 'row'), countText(list.length, 'table')]
    return {
      message: `The database of "${name}" holds ${ofRows} in ${ofTables}, ${sizeText(bytes)}.`,
      item: { ...item, bytes, rows, tables: list.length } satisfies WireDatabase,
      list,
    }
  },
})
