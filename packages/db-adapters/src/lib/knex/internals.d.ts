/** The modules of knex that make an instance with one dialect, without loading the others. */
declare module 'knex/lib/knex-builder/make-knex.js' {
  import type { Knex } from 'knex'
  const makeKnex: (client: Knex.Client) => Knex
  export default makeKnex
}

declare module 'knex/lib/dialects/*' {
  import type { Knex } from 'knex'
  const Client: new (config: Knex.Config) => Knex.Client
  export default Client
}

/** What compiles the statements of one builder; some of its methods differ from what a store needs. */
declare module 'knex/lib/dialects/mssql/query/mssql-querycompiler.js' {
  export default class {
    constructor(client: unknown, builder: unknown, bindings?: unknown)
    readonly single: { readonly skipBinding: Readonly<Record<string, boolean>> }
    readonly grouped: Readonly<Record<string, unknown>>
    _getValueOrParameterFromAttribute(attribute: string, value?: unknown): string
    _returning(method: string, value: unknown, withTrigger?: boolean): string
    offset(): string
  }
}

declare module 'knex/lib/dialects/oracledb/query/oracledb-querycompiler.js' {
  export default class {
    constructor(client: unknown, builder: unknown, bindings?: unknown)
    readonly single: { readonly limit?: unknown; readonly offset?: unknown }
    _getValueOrParameterFromAttribute(attribute: string): string
    _surroundQueryWithLimitAndOffset(query: string): string
  }
}
