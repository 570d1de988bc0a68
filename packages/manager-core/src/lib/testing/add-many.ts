import { fullGrant } from '../domain/grant.js'
import { createManager } from './built-manager.js'

/** Input of the program, as JSON in its one argument. */
export interface AddMany {
  readonly home: string
  readonly applicationServer: string
  readonly defaultTemplate: string
  /** How many, with names of the manager's choice when there is no prefix. */
  readonly count: number
  readonly prefix?: string
}

// Adds instances one after the other, without starting them, and prints their names.
const { count, prefix, ...options } = JSON.parse(process.argv[2] as string) as AddMany
const manager = createManager(options)
const names: string[] = []
for (let n = 0; n < count; n++) {
  const input = { 'no-start': true, ...(prefix !== undefined && { name: `${prefix}${n}` }) }
  const { item } = await manager.perform('add', input, {
    actor: 'many',
    surface: 'cli',
    grant: fullGrant,
    waitMs: 60_000,
  })
  names.push((item as { readonly name: string }).name)
}
process.stdout.write(JSON.stringify(names))
manager.close()
