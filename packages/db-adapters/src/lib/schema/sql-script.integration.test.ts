import { spawnSync } from 'node:child_process'
import { createModel, type ObjectDefinition, type SyncPlan } from '@steward/rest-core'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { onEachDatabase, onSqlite } from '../../../test/schema-databases.js'
import { sqlScript } from './sql-script.js'
import { applySync, planSync } from './sync.js'

const maker: ObjectDefinition = {
  name: 'Maker',
  timestamps: false,
  fields: { code: { type: 'string', key: true, length: 20 } },
}

/** One model after the other, with the kinds of steps that lead to it. */
const versions: readonly (readonly ObjectDefinition[])[] = [
  [
    maker,
    {
      name: 'Part',
      timestamps: false,
      indexable: ['title'],
      fields: {
        title: { type: 'string', length: 40, unique: true },
        size: { type: 'integer', precision: 5, index: true },
        made: { type: 'string', length: 30 },
        old: { type: 'string', length: 10 },
        maker: { type: 'reference', object: 'Maker', display: ['code'] },
      },
    },
  ],
  [
    maker,
    { name: 'Colour', timestamps: false, fields: { name: { type: 'string', key: true } } },
    {
      name: 'Piece',
      renamedFrom: 'part',
      indexable: ['name'],
      timestamps: false,
      fields: {
        // Renamed and widened at the same time, so that a later statement is about what an earlier one has made.
        name: { type: 'string', length: 80, renamedFrom: 'title', index: true },
        size: { type: 'integer', precision: 12 },
        made: { type: 'date' },
        maker: { type: 'reference', object: 'Maker', display: ['code'], onDelete: 'cascade' },
        colour: { type: 'reference', object: 'Colour', display: ['name'] },
        remark: { type: 'text', column: "it's; new" },
      },
    },
  ],
]

onEachDatabase((database) => {
  const plan = (version: readonly ObjectDefinition[]): Promise<SyncPlan> =>
    planSync(createModel(version), database.connection, database.dialect)

  it('the script of a plan, run by the own client of the database, brings it in step, and rows stay', async (test) => {
    const missing = clientIsMissing(database.dialect.name)
    if (missing !== undefined) return test.skip(missing)
    const [first, second] = versions as [ObjectDefinition[], ObjectDefinition[]]
    runByClient(database, sqlScript(await plan(first)))
    expect(await plan(first)).toStrictEqual({ steps: [], leftover: [] })

    const q = database.dialect.quote
    await database.connection.run(`insert into maker (code) values ('m')`)
    await database.connection.run(
      `insert into part (title, size, made, old, maker) values ('a', 7, '2024-02-29', 'x', 1), ('b', 8, 'never', 'y', null)`,
    )
    const planned = await plan(second)
    const script = sqlScript(planned)
    expect(script).toContain('DESTRUCTIVE: change column piece.made from string(30) to date')
    expect(script).toContain('-- No longer used, and kept: piece.old')
    runByClient(database, script)
    expect(await plan(second)).toStrictEqual({ steps: [], leftover: [{ table: 'piece', column: 'old' }] })
    const rows = await database.rows(
      `select row_id, name, size, old, maker, made is null as lost from ${q('piece')} order by row_id`,
    )
    expect(rows.map((row) => Object.values(row).map(String).join())).toEqual([
      '1,a,7,x,1,' + falseOf(database.dialect.name),
      '2,b,8,y,null,' + trueOf(database.dialect.name),
    ])
    const stepsIn = script.match(/^-- \d+\. (?:DESTRUCTIVE: )?(.*)$/gm) ?? []
    expect(new Set(stepsIn).size).toBe(planned.steps.length)
  })

  it('a plan is only read: planning twice gives the same, and nothing was made', async () => {
    const model = createModel([{ name: 'Lone', timestamps: false, fields: { code: { type: 'string', key: true } } }])
    const once = await planSync(model, database.connection, database.dialect)
    expect(once.sql?.some(({ sql }) => sql.startsWith('create table'))).toBe(true)
    expect(await planSync(model, database.connection, database.dialect)).toStrictEqual(once)
    const { sql: _, ...done } = once
    expect(await applySync(model, database.connection, database.dialect)).toStrictEqual(done)
  })
})

onSqlite((database) => {
  it('a table whose index needs a function of another program has a plan, and says why it has no script', async () => {
    const { connection, dialect } = database
    const modelOf = (length: number) =>
      createModel([{ name: 'Odd', timestamps: false, fields: { title: { type: 'string', length } } }])
    await applySync(modelOf(8), connection, dialect)
    const theirs = new Database(database.url)
    theirs.function('theirs', { deterministic: true }, (value) => value)
    theirs.exec('create index odd_index on odd (theirs(title))')
    theirs.close()
    const plan = await planSync(modelOf(4), connection, dialect)
    expect(plan.steps).toHaveLength(1)
    expect(plan.noSql).toMatch(/^Cannot write a script: "odd_index" cannot be copied: .*theirs/)
  })

  it('a conversion that needs more than SQL is reported, and there is no script', async () => {
    const modelOf = (precision: number) =>
      createModel([{ name: 'Sum', timestamps: false, fields: { amount: { type: 'decimal', precision, scale: 2 } } }])
    await applySync(modelOf(8), database.connection, database.dialect)
    const plan = await planSync(modelOf(30), database.connection, database.dialect)
    expect(plan.noSql).toMatch(/^Cannot change column sum\.amount from .* by SQL: /)
    expect(plan.sql).toBeUndefined()
    expect(() => sqlScript(plan)).toThrow(plan.noSql)
  })
})

describe('sqlScript', () => {
  it('gives a comment when there is nothing to do', () => {
    expect(sqlScript({ steps: [], leftover: [] })).toMatch(/^-- .*\n$/)
  })
})

function falseOf(name: string): string {
  return name === 'postgresql' ? 'false' : '0'
}

function trueOf(name: string): string {
  return name === 'postgresql' ? 'true' : '1'
}

function runByClient({ url, dialect }: { url: string; dialect: { name: string } }, script: string): void {
  const [program, ...args] = clientOf(dialect.name, url)
  const { status, stderr, error } = spawnSync(program, args, { input: script, encoding: 'utf8' })
  expect({ status, stderr, error }, script).toEqual({ status: 0, stderr: '', error: undefined })
}

function clientIsMissing(name: string): string | undefined {
  if (name === 'sqlite') return toolIsMissing('sqlite3')
  if (name !== 'mssql' || spawnSync('sqlcmd', ['-?']).error === undefined) return undefined
  return 'sqlcmd is not installed.'
}

function clientOf(name: string, text: string): [string, ...string[]] {
  if (name === 'sqlite') return ['sqlite3', '-bail', text]
  if (name === 'postgresql') return ['psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', '-', text]
  const url = new URL(text)
  const user = decodeURIComponent(url.username)
  const password = decodeURIComponent(url.password)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (name === 'mssql')
    return [
      'sqlcmd',
      '-b',
      '-I',
      '-C',
      '-S',
      `${url.hostname},${url.port || 1433}`,
      '-U',
      user,
      '-P',
      password,
      '-d',
      database,
    ]
  return [
    'mysql',
    `--host=${url.hostname}`,
    `--port=${url.port}`,
    '--protocol=tcp',
    `--user=${user}`,
    `--password=${password}`,
    database,
  ]
}
