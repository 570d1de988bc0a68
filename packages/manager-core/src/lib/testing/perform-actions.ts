import { fullGrant } from '../domain/grant.js'
import { createManager } from '../manager.js'
import type { Input } from '../domain/input.js'

/** What a process of its own performs, one after the other, in the home of a manager. */
export interface PerformedActions {
  readonly home: string
  readonly applicationServer: string
  readonly template: string
  readonly actions: readonly (readonly [action: string, input: Readonly<Record<string, Input>>])[]
}

const { home, applicationServer, template, actions } = JSON.parse(process.argv[2] as string) as PerformedActions
const manager = createManager({ home, applicationServer, defaultTemplate: template })
const outcomes: string[] = []
for (const [action, input] of actions)
  try {
    const { file } = await manager.perform(action, input, { actor: 'tester', surface: 'cli', grant: fullGrant })
    if (file) for await (const chunk of file.content()) void chunk
    outcomes.push('done')
  } catch (error) {
    outcomes.push((error as Error).message)
  }
manager.close()
process.stdout.write(JSON.stringify(outcomes))
