import { createModel, type FieldDefinition, type ObjectDefinition } from '@steward/rest-core'
import type { StoreError } from '@steward/rest-core/errors'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { onEachDatabase } from '../../../test/schema-databases.js'
import { applySync, planSync } from './sync.js'

const objects = ['A', 'B', 'C'] as const
const columns = ['f', 'g', 'h', 'i'] as const

const type: fc.Arbitrary<FieldDefinition> = fc.oneof(
  fc.record({ type: fc.constant('string' as const), length: fc.constantFrom(5, 40, 300, 800) }),
  fc.record({ type: fc.constant('integer' as const), precision: fc.constantFrom(5, 12, 18) }),
  fc.constantFrom<FieldDefinition>(
    { type: 'decimal', precision: 8, scale: 2 },
    { type: 'decimal', precision: 12, scale: 4 },
    { type: 'decimal', precision: 30, scale: 4 },
    { type: 'text' },
    { type: 'boolean' },
    { type: 'date' },
    { type: 'datetime' },
    { type: 'time' },
    { type: 'object' },
    { type: 'multi-enum', values: ['x'] },
  ),
  fc.record({
    type: fc.constant('reference' as const),
    object: fc.constantFrom(...objects),
    display: fc.constant([]),
    onDelete: fc.constantFrom('refuse' as const, 'cascade' as const, 'setNull' as const),
  }),
)

const field = fc
  .tuple(type, fc.constantFrom('', 'key', 'unique', 'index'), fc.constantFrom(undefined, ...columns))
  .map(([definition, role, renamedFrom]): FieldDefinition => {
    const long = definition.type === 'text' || definition.type === 'object' || definition.type === 'multi-enum'
    const wide = 'length' in definition && (definition.length ?? 0) > 300
    const nullable = definition.type === 'reference' && definition.onDelete === 'setNull'
    const allowed =
      role === 'index' ? definition.type !== 'object' : role !== '' && !long && !wide && !(role === 'key' && nullable)
    return { ...definition, ...(allowed ? { [role]: true } : {}), ...(renamedFrom ? { renamedFrom } : {}) }
  })

const application = fc
  .tuple(
    ...objects.map((name) =>
      fc.tuple(fc.dictionary(fc.constantFrom(...columns), field, { minKeys: 1 }), fc.boolean(), fc.constant(name)),
    ),
  )
  .map((parts) => parts.map(([fields, timestamps, name]): ObjectDefinition => ({ name, timestamps, fields })))

onEachDatabase((database) => {
  // MySQL takes some tens of milliseconds for each DDL statement.
  const runs = { sqlite: 25, postgresql: 10, mysql: 3, mssql: 3 }

  it('any model follows any other, or is refused as a whole; rows and row ids stay', async () => {
    const { connection, dialect } = database
    const q = dialect.quote
    await fc.assert(
      fc.asyncProperty(fc.array(application, { minLength: 2, maxLength: 3 }), async (models) => {
        for (const definitions of models) {
          const model = createModel(definitions)
          const before = await planSync(model, connection, dialect)
          const refusal: unknown = await applySync(model, connection, dialect, { destructive: true }).then(
            () => undefined,
            (error: unknown) => error,
          )
          if (refusal) {
            expect(refusal).toMatchObject({ code: 'schema' })
            expect((refusal as StoreError).message).toMatch(/^Cannot make /)
            expect(await planSync(model, connection, dialect)).toStrictEqual(before)
            await clear()
            continue
          }
          expect(await planSync(model, connection, dialect)).toStrictEqual({ steps: [], leftover: [] })
          await fill(definitions)
        }
        await clear()
      }),
      { numRuns: runs[dialect.name] },
    )

    async function fill(definitions: readonly ObjectDefinition[]): Promise<void> {
      for (const { name, fields } of definitions) {
        const table = name.toLowerCase()
        const [{ last } = {}] = await database.rows(`select coalesce(max(row_id), 0) as last from ${table}`)
        const id = Number(last) + 1
        const filled = Object.entries(fields).filter(([, { type: kind }]) => kind === 'string' || kind === 'integer')
        const names = ['row_id', ...filled.map(([column]) => q(column))]
        const values = [id, ...filled.map(([, { type: kind }]) => (kind === 'string' ? `'v${id}'` : id))]
        await connection.run(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`)
      }
    }

    async function clear(): Promise<void> {
      const { tables } = await dialect.read(connection)
      if (dialect.name === 'mssql') {
        for (const { name, foreignKeys } of tables)
          for (const key of foreignKeys) await connection.run(`alter table ${q(name)} drop constraint ${q(key.name)}`)
        for (const { name } of tables) await connection.run(`drop table ${q(name)}`)
      } else if (dialect.name === 'postgresql')
        for (const { name } of tables) await connection.run(`drop table ${q(name)} cascade`)
      else {
        const [off, on] =
          dialect.name === 'sqlite'
            ? ['pragma foreign_keys = off', 'pragma foreign_keys = on']
            : ['set foreign_key_checks = 0', 'set foreign_key_checks = 1']
        await connection.run(off)
        for (const { name } of tables) await connection.run(`drop table ${q(name)}`)
        await connection.run(on)
      }
    }
  })
})
