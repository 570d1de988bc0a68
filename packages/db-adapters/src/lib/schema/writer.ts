import type { Knex } from 'knex'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'
import type { KnexClient } from '../knex/builder.js'
import type { ChangeOf } from './changes.js'
import { onDelete } from './sql.js'

/** Changes that knex's schema builder has words for on some database. */
export type WritableChange = ChangeOf<
  | 'renameTable'
  | 'renameColumn'
  | 'createTable'
  | 'createView'
  | 'dropView'
  | 'addColumn'
  | 'dropColumn'
  | 'addIndex'
  | 'dropIndex'
  | 'addForeignKey'
  | 'dropForeignKey'
>

export interface WriterOptions {
  readonly quote: (name: string) => string
  /** Declaration of a row id that the database gives. */
  readonly integerId: string
}

type NewIndex = Pick<ChangeOf<'addIndex'>, 'table' | 'name' | 'columns'>

type NewForeignKey = Omit<ChangeOf<'addForeignKey'>, 'kind' | 'table'>

export interface IndexOptions {
  /** SQL of a column, where it is more than the name. */
  readonly part?: (column: string) => string
  /** The method of PostgreSQL, such as `hash`, and the kind of MySQL, such as `fulltext`. */
  readonly type?: string
}

/** Writes statements of DDL by knex's schema builder. Names are those of the database, of any characters. */
export interface SchemaWriter {
  /** SQL of a change. */
  write(change: WritableChange): string[]
  /** @param more adds to the columns and the key of the change */
  create(change: ChangeOf<'createTable'>, more?: (table: Knex.CreateTableBuilder) => void): string[]
  index(index: NewIndex, options?: IndexOptions): string[]
  /** Gives a column another declaration. */
  modify(table: string, column: string, declaration: string): string[]
  dropIndex(table: string, name: string): string[]
  dropTable(table: string): string[]
  foreignKey(table: Knex.TableBuilder, key: NewForeignKey): void
  /** A line of `create table` that the schema builder has no word for. */
  line(table: Knex.TableBuilder, start: string, rest: string): void
}

/** What knex would take a name apart at, or cut off from its ends. */
const apart = /[\s.]/g
const hidden = /[\u{f0000}-\u{fffff}]/gu
const firstHidden = 0xf_0000

/** A name in which knex finds neither dots nor blanks: they are characters for private use until it is quoted. */
function hide(name: string): string {
  return name.replaceAll(apart, (found) => String.fromCodePoint(firstHidden + found.charCodeAt(0)))
}

function show(name: string): string {
  return name.replaceAll(hidden, (found) => String.fromCharCode((found.codePointAt(0) as number) - firstHidden))
}

/** @param builder an instance of knex for the database; it is not changed */
export function createWriter(builder: Knex, { quote, integerId }: WriterOptions): SchemaWriter {
  const Client = builder.client.constructor as KnexClient
  // Quoted as in our other statements: some dialects of knex lose brackets in names.
  const knex = makeKnex(new Client({ ...builder.client.config, wrapIdentifier: (name) => quote(show(name)) }))
  const names = (texts: readonly string[]): string[] => texts.map(hide)

  return { write, create, index, modify, dropIndex, dropTable, foreignKey, line }

  function write(change: WritableChange): string[] {
    switch (change.kind) {
      case 'renameTable':
        return texts((schema) => void schema.renameTable(hide(change.from), hide(change.table)))
      case 'renameColumn':
        return alter(change.table, (table) => void table.renameColumn(hide(change.from), hide(change.column)))
      case 'createTable':
        return create(change)
      case 'createView':
        return createView(change)
      case 'dropView':
        return texts((schema) => schema.dropView(hide(change.table)))
      case 'addColumn':
        return alter(change.table, (table) => addColumn(table, change.column))
      case 'dropColumn':
        return alter(change.table, (table) => void table.dropColumn(hide(change.column)))
      case 'addIndex':
        return change.unique ? unique(change) : index(change)
      case 'dropIndex':
        return dropIndex(change.table, change.name)
      case 'addForeignKey':
        return alter(change.table, (table) => foreignKey(table, change))
      case 'dropForeignKey':
        return alter(change.table, (table) => void table.dropForeign(names(change.columns), hide(change.name)))
    }
  }

  function create(
    { table, id, key, columns }: ChangeOf<'createTable'>,
    more?: (table: Knex.CreateTableBuilder) => void,
  ): string[] {
    return texts((schema) =>
      schema.createTable(hide(table), (made) => {
        if (id) {
          const { name, declaration } = id
          const isInteger = id.values === 'integer'
          addColumn(made, { name, declaration: isInteger ? integerId : `${declaration} not null primary key` })
        }
        for (const column of columns) addColumn(made, column)
        // knex would name the key after the table, and a table that was renamed may have that name already.
        if (!id) line(made, 'primary key', `(${key.map(quote).join(', ')})`)
        more?.(made)
      }),
    )
  }

  /**
   * The column that marks it comes after those of the query. By SQL: knex would take question marks of the query for places of
   * values.
   */
  function createView({ table, query, mark }: ChangeOf<'createView'>): string[] {
    return [`create view ${quote(table)} as select q.*, 1 as ${quote(mark)} from (${query}) q`]
  }

  function addColumn(
    table: Knex.TableBuilder,
    { name, declaration }: { readonly name: string; readonly declaration: string },
  ): void {
    table.specificType(hide(name), declaration)
  }

  function alter(table: string, work: (table: Knex.AlterTableBuilder) => void): string[] {
    return texts((schema) => schema.alterTable(hide(table), work))
  }

  /** An index rather than a constraint, which would need another statement to go. */
  function unique({ table, name, columns }: NewIndex): string[] {
    const options = { indexName: hide(name), useConstraint: false }
    return alter(table, (altered) => void altered.unique(names(columns), options))
  }

  function index({ table, name, columns }: NewIndex, { part, type }: IndexOptions = {}): string[] {
    const parts = part ? columns.map((column) => knex.raw(part(column))) : names(columns)
    return alter(table, (altered) => void altered.index(parts, hide(name), type))
  }

  function modify(table: string, column: string, declaration: string): string[] {
    return alter(table, (altered) => void altered.specificType(hide(column), declaration).alter())
  }

  function dropIndex(table: string, name: string): string[] {
    return alter(table, (altered) => void altered.dropIndex([], hide(name)))
  }

  function dropTable(table: string): string[] {
    return texts((schema) => schema.dropTable(hide(table)))
  }

  function foreignKey(table: Knex.TableBuilder, key: NewForeignKey): void {
    table
      .foreign(names(key.columns), hide(key.name))
      .references(names(key.targetColumns))
      .inTable(hide(key.target))
      .onDelete(onDelete(key.onDelete))
  }

  function line(table: Knex.TableBuilder, start: string, rest: string): void {
    table.specificType(knex.raw(start) as unknown as string, rest)
  }

  function texts(work: (schema: Knex.SchemaBuilder) => unknown): string[] {
    const { schema } = knex
    work(schema)
    return (schema.toSQL() as unknown as readonly { readonly sql: string }[]).map(({ sql }) => sql)
  }
}
