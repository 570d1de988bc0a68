import { createModel, type ColumnType, type FieldDefinition, type ObjectDefinition } from '@steward/rest-core'
import { describe, expect, it } from 'vitest'
import type { Catalogue, SchemaDialect } from './dialect.js'
import { mysqlSchema } from '../mysql/schema/dialect.js'
import { postgresqlSchema } from '../postgresql/schema/dialect.js'
import { sqliteSchema } from '../sqlite/schema/dialect.js'
import { planChanges } from './plan.js'
import type { ColumnInfo, TableInfo } from './table-info.js'
import { relate } from './type-relation.js'

const dialects = [sqliteSchema, postgresqlSchema, mysqlSchema] as const

function catalogueOf(...tables: TableInfo[]): Catalogue {
  return { tables, foldsTableNames: false, foldsColumnNames: false }
}

function tableOf(
  dialect: SchemaDialect,
  name: string,
  columns: Record<string, ColumnType>,
  more: Partial<TableInfo> = {},
): TableInfo {
  return {
    name,
    kind: 'table',
    columns: [
      columnOf(dialect, 'row_id', { kind: 'id', values: 'integer' }),
      ...Object.entries(columns).map(([column, type]) => columnOf(dialect, column, type)),
    ],
    primaryKey: ['row_id'],
    indexes: [],
    foreignKeys: [],
    foreignKeysSupported: true,
    implicitId: undefined,
    wordIndexes: [],
    ...more,
  }
}

function columnOf({ types }: SchemaDialect, name: string, type: ColumnType): ColumnInfo {
  const { declaration, family } = types.column(type)
  return {
    name,
    type: family,
    declaration,
    nullable: true,
    hasDefault: false,
    autoIncrement: false,
    generated: false,
    collation: undefined,
  }
}

function define(fields: Record<string, FieldDefinition>, more: Partial<ObjectDefinition> = {}) {
  return createModel([{ name: 'Thing', timestamps: false, fields, ...more }])
}

function kindsOf(changes: readonly { kind: string }[]): string[] {
  return changes.map(({ kind }) => kind)
}

describe.each(dialects)('planChanges() for $name', (dialect) => {
  const plan = (model: ReturnType<typeof define>, catalogue: Catalogue, destructive = false) =>
    planChanges(model, catalogue, dialect.types, destructive)
  const string20 = { kind: 'string', length: 20 } as const

  it('creates tables before columns, indexes after them, foreign keys last', () => {
    const model = createModel([
      { name: 'A', fields: { b: { type: 'reference', object: 'B' }, code: { type: 'string', key: true } } },
      { name: 'B', fields: { a: { type: 'reference', object: 'A', onDelete: 'setNull' } } },
    ])
    const kinds = kindsOf(plan(model, catalogueOf()).changes)
    expect(kinds).toStrictEqual([
      'createTable',
      'createTable',
      'addIndex',
      'addIndex',
      'addIndex',
      'addForeignKey',
      'addForeignKey',
    ])
  })

  it('a unique index over the same columns in another order is the functional key', () => {
    const model = define({ a: { type: 'string', length: 20, key: true }, b: { type: 'string', length: 20, key: true } })
    const indexes = [{ name: 'mine', columns: ['b', 'a'], unique: true, plain: true }]
    expect(
      plan(model, catalogueOf(tableOf(dialect, 'thing', { a: string20, b: string20 }, { indexes }))).changes,
    ).toStrictEqual([])
    const partial = [{ name: 'mine', columns: ['b', 'a'], unique: true, plain: false }]
    expect(
      kindsOf(
        plan(model, catalogueOf(tableOf(dialect, 'thing', { a: string20, b: string20 }, { indexes: partial }))).changes,
      ),
    ).toStrictEqual(['addIndex'])
  })

  it('drops indexes of its own that nothing needs, and no others', () => {
    const indexes = [
      { name: 'stw_ix_thing_a', columns: ['a'], unique: false, plain: true },
      { name: 'theirs', columns: ['a'], unique: true, plain: true },
    ]
    const { changes } = plan(
      define({ a: { type: 'string', length: 20 } }),
      catalogueOf(tableOf(dialect, 'thing', { a: string20 }, { indexes })),
    )
    expect(changes).toMatchObject([{ kind: 'dropIndex', name: 'stw_ix_thing_a' }])
  })

  it('changes what a foreign key of its own does on delete, and leaves one of the owner as it is', () => {
    const model = createModel([
      {
        name: 'Thing',
        timestamps: false,
        fields: { own: { type: 'reference', object: 'Thing', onDelete: 'cascade' } },
      },
    ])
    const withKey = (name: string) => {
      const key = { name, columns: ['own'], table: 'thing', targetColumns: ['row_id'], onDelete: 'refuse' as const }
      const index = { name: 'i', columns: ['own'], unique: false, plain: true }
      return catalogueOf(
        tableOf(
          dialect,
          'thing',
          { own: { kind: 'reference', values: 'integer' } },
          { foreignKeys: [key], indexes: [index] },
        ),
      )
    }
    expect(kindsOf(plan(model, withKey('stw_fk_thing_own')).changes)).toStrictEqual(['dropForeignKey', 'addForeignKey'])
    expect(plan(model, withKey('theirs')).changes).toStrictEqual([])
  })

  it('never drops a column of a table whose row id is mapped, and nothing without being asked', () => {
    const catalogue = catalogueOf(tableOf(dialect, 'thing', { a: string20, b: string20 }))
    const own = plan(define({ a: { type: 'string', length: 20 } }), catalogue)
    expect(own).toStrictEqual({ changes: [], leftover: [{ table: 'thing', column: 'b' }] })
    expect(kindsOf(plan(define({ a: { type: 'string', length: 20 } }), catalogue, true).changes)).toStrictEqual([
      'dropColumn',
    ])
    const mapped = define({ row_id: { type: 'id' }, a: { type: 'string', length: 10 } })
    expect(plan(mapped, catalogue, true)).toStrictEqual({ changes: [], leftover: [] })
  })

  it('two objects may share a table, each with some of its columns', () => {
    const model = createModel([
      { name: 'A', table: 'shared', timestamps: false, fields: { a: { type: 'string', unique: true } } },
      {
        name: 'B',
        table: 'shared',
        timestamps: false,
        fields: { a: { type: 'string', unique: true }, b: { type: 'integer' } },
      },
    ])
    const { changes } = plan(model, catalogueOf())
    expect(kindsOf(changes)).toStrictEqual(['createTable', 'addIndex'])
    expect(changes[0]).toMatchObject({ columns: [{ name: 'a' }, { name: 'b' }] })
  })

  it('does not rename when the new name is there, the old is not, or the old is still used', () => {
    const model = define({ a: { type: 'string', length: 20, renamedFrom: 'b' } })
    const kinds = (columns: Record<string, ColumnType>) =>
      kindsOf(plan(model, catalogueOf(tableOf(dialect, 'thing', columns))).changes)
    expect(kinds({ b: string20 })).toStrictEqual(['renameColumn'])
    expect(kinds({ a: string20, b: string20 })).toStrictEqual([])
    expect(kinds({})).toStrictEqual(['addColumn'])
    const used = createModel([
      { name: 'New', renamedFrom: 'old', fields: { a: { type: 'string' } }, timestamps: false },
      { name: 'Old', fields: { a: { type: 'string', length: 20 } }, timestamps: false },
    ])
    expect(kindsOf(plan(used, catalogueOf(tableOf(dialect, 'old', { a: string20 }))).changes)).toStrictEqual([
      'createTable',
    ])
  })

  it('every type equals itself, and steps say what they do', () => {
    const types: ColumnType[] = [
      { kind: 'id', values: 'integer' },
      { kind: 'reference', values: 'string' },
      { kind: 'string', length: 10 },
      { kind: 'string', length: 5000 },
      { kind: 'text' },
      { kind: 'integer', precision: 5 },
      { kind: 'integer', precision: 18 },
      { kind: 'decimal', precision: 15, scale: 2 },
      { kind: 'decimal', precision: 38, scale: 38 },
      { kind: 'boolean' },
      { kind: 'date' },
      { kind: 'datetime' },
      { kind: 'time' },
      { kind: 'list' },
      { kind: 'json' },
    ]
    for (const type of types) {
      const { family } = dialect.types.column(type)
      expect(relate(family, family), JSON.stringify(type)).toBe('same')
      expect(['other', 'binary'], JSON.stringify(type)).not.toContain(family.kind)
    }
  })
})

describe('limits of databases', () => {
  it('MySQL cannot index texts over 768 characters as unique, and the plan says so', () => {
    expect(() =>
      planChanges(define({ a: { type: 'string', length: 769, unique: true } }), catalogueOf(), mysqlSchema.types),
    ).toThrow(/3072/)
    expect(() => planChanges(define({ a: { type: 'text', unique: true } }), catalogueOf(), mysqlSchema.types)).toThrow(
      /thing \(a\)/,
    )
    expect(
      planChanges(define({ a: { type: 'string', length: 768, unique: true } }), catalogueOf(), mysqlSchema.types)
        .changes,
    ).toHaveLength(2)
  })

  it("a table of another PostgreSQL schema is its owner's", () => {
    const model = createModel([
      { name: 'Thing', table: 'sales.thing', fields: { a: { type: 'string', key: true } } },
      { name: 'Mine', timestamps: false, fields: { link: { type: 'reference', object: 'Thing' } } },
    ])
    expect(kindsOf(planChanges(model, catalogueOf(), postgresqlSchema.types).changes)).toStrictEqual([
      'createTable',
      'addIndex',
    ])
  })
})
