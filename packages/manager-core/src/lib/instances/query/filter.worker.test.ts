import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { openRegistry } from '../../store/registry.js'
import type { FilterTask } from './filter.worker.js'
import { allowedFunctions, filterSql, readableTables, viewsSql } from './views.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-filter-'))
const file = join(folder, 'manager.db')
openRegistry({ file }).close()
afterAll(() => rmSync(folder, { recursive: true }))

function run(sql: string): unknown {
  const [tables, functions] = [readableTables, allowedFunctions]
  const task: FilterTask = { file, views: viewsSql, fresh: [], sql, tables, functions }
  const script = fileURLToPath(new URL('./filter.worker.ts', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [script], { input: JSON.stringify(task), encoding: 'utf8' })
  return JSON.parse(stdout)
}

test('what the check of conditions would let through is refused once more', (context) => {
  expect(run(filterSql("i.status = 'started'"))).toEqual([])
  expect(run('select 1; drop table instance')).toEqual({ error: 'it is more than one statement' })
  if (!('setAuthorizer' in DatabaseSync.prototype)) return context.skip('This Node has no authorizer.')
  for (const sql of [
    'select facts as id from operation',
    'select sql as id from sqlite_master',
    "select load_extension('x') as id",
    'with recursive t(n) as (select 1 union all select n + 1 from t) select n as id from t',
    "attach 'x.db' as x",
    'pragma table_info(instance)',
    'delete from temp.fresh',
  ])
    expect(run(sql)).toEqual({ error: expect.stringMatching(/not authorized|prohibited/) as string })
})
