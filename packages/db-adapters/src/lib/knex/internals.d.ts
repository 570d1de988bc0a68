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
