import type { Registry } from './registry.js'
import { changesOf } from './registry-copies.js'
import { sqlite } from './sqlite.js'

/** What was under way when a copy was made has ended since, one way or another: nothing of it may be undone now. */
export function forgetWork({ [sqlite]: database, transaction }: Registry, changes: number): void {
  transaction(() => {
    database
      .prepare(
        `update operation set state = 'rolled_back', ended = started, message = ?
         where state not in ('succeeded', 'rolled_back')`,
      )
      .run('It was running when this copy of the registry was made. Its result is unknown.')
    database.exec('delete from reserved_port')
    // Copies that are made from now on are newer than all that there are.
    database.prepare('update registry set changes = ?').run(Math.max(changes, changesOf(database)))
  })
}
