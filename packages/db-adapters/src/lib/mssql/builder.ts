import MssqlClient from 'knex/lib/dialects/mssql/index.js'
import MssqlCompiler from 'knex/lib/dialects/mssql/query/mssql-querycompiler.js'
import { createBuilder } from '../knex/builder.js'

/** The value of the placeholder before it once more; knex binds it again, and a statement takes 2,100. */
export const again = '\uE001'

/** Values go as texts, and the server takes only numbers for a limit and an offset, which follows an order. */
class Compiler extends MssqlCompiler {
  override _getValueOrParameterFromAttribute(attribute: string, value?: unknown): string {
    const text = super._getValueOrParameterFromAttribute(attribute, value)
    return this.single.skipBinding[attribute] ? text : `cast(${text} as bigint)`
  }

  override offset(): string {
    const text = super.offset()
    return text && !this.grouped['order'] ? `order by (select null) ${text}` : text
  }

  /** The driver counts the rows; knex asks for their number by another statement. */
  override _returning(method: string, value: unknown, withTrigger?: boolean): string {
    return method === 'rowcount' ? '' : super._returning(method, value, withTrigger)
  }
}

class Client extends MssqlClient {
  override queryCompiler(builder: unknown, bindings?: unknown): unknown {
    return new Compiler(this, builder, bindings)
  }

  /** From 1, as in the statements of the catalogue; knex starts at 0. */
  override positionBindings(sql: string): string {
    let last = 0
    return sql.replaceAll(/\?|\uE001/g, (found) => `@p${found === again ? last : ++last}`)
  }
}

/** Writes statements of this database. */
export const mssqlBuilder = createBuilder(Client, 'mssql')

/** Knex's client of this database. */
export { MssqlClient as Client }
