import OracleClient from 'knex/lib/dialects/oracledb/index.js'
import OracleCompiler from 'knex/lib/dialects/oracledb/query/oracledb-querycompiler.js'
import { createBuilder } from '../knex/builder.js'

class Compiler extends OracleCompiler {
  /** knex counts by `rownum` in a query around this one, which has to name each column once, and adds a column. */
  override _surroundQueryWithLimitAndOffset(query: string): string {
    const { limit, offset } = this.single
    if (limit === undefined) return query
    // In the order of the text.
    const first = offset ? `offset ${this._getValueOrParameterFromAttribute('offset')} rows fetch next` : 'fetch first'
    return `${query} ${first} ${this._getValueOrParameterFromAttribute('limit')} rows only`
  }
}

class Client extends OracleClient {
  override queryCompiler(builder: unknown, bindings?: unknown): unknown {
    return new Compiler(this, builder, bindings)
  }
}

/** Writes statements of this database. */
export const oracleBuilder = createBuilder(Client, 'oracledb')

/** Knex's client of this database. */
export { OracleClient as Client }
