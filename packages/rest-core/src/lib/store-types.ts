/** Types that packages of stores add: `@steward/db-adapters` declares `knex` and `transaction`, so that users of knex get its own. */
// eslint-disable-next-line typescript/no-empty-interface
export interface StoreTypes {}

/** An instance of knex (`Knex`). An object, unless a package of stores that stand on knex is imported. */
export type StoreKnex = StoreTypes extends { readonly knex: infer K } ? K : object

/** A transaction of knex (`Knex.Transaction`). An object, unless a package of stores that stand on knex is imported. */
export type StoreTransaction = StoreTypes extends { readonly transaction: infer T } ? T : object
