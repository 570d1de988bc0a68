import type { SyncPlan } from '@steward/rest-core'

/**
 * The statements of a plan as a script for `psql`, `mysql`, `sqlite3` and the like, which must end at the first error. A
 * comment says what each step does; steps that could lose data say DESTRUCTIVE.
 *
 * @returns comments only when there is nothing to do
 * @throws TypeError when the plan has a step that needs more than SQL (`noSql`)
 *
 * @example
 * const script = sqlScript(await store.plan(model))
 */
export function sqlScript({ steps, leftover, sql, noSql }: SyncPlan): string {
  if (noSql !== undefined) throw new TypeError(noSql)
  if (!sql) return '-- The database fits the model: there is nothing to do.\n'
  const blocks: string[] = []
  let previous = ''
  for (const statement of sql) {
    const comments = statement.steps.map((at) => {
      const { description, destructive } = steps[at]!
      return comment(`${at + 1}. ${destructive ? 'DESTRUCTIVE: ' : ''}${description}`)
    })
    const title = comments.join('')
    // A step may take several statements.
    if (title !== previous) blocks.push(`\n${title}`)
    blocks.push(`${statement.sql};\n`)
    previous = title
  }
  const kept = leftover.map(({ table, column }) => comment(`No longer used, and kept: ${table}.${column}`))
  return [...kept, ...blocks].join('').trimStart()
}

function comment(text: string): string {
  return `-- ${text.replaceAll(/\s+/g, ' ')}\n`
}
