import type { ManagerContext } from '../context.js'
import { isRunning, type Instance } from '../domain/instance.js'
import { countText } from '../domain/readable.js'
import { sleepAfterMs } from '../instances/sleep-after.js'
import { startKind } from '../instances/start-and-stop.js'
import { observed } from '../instances/wire-instance.js'
import { ofSeveral } from '../operation/of-several.js'
import { urlOf } from '../settings/public-url.js'
import { defineAction, type CallPlace } from './define-action.js'

/** How many are started at once, unless the caller says otherwise. */
const defaultParallel = 2

export const startAllAction = defineAction({
  name: 'startall',
  group: 'Instances',
  summary: 'Start all instances that should run but do not',
  description:
    'Use it after a reboot, in an @reboot line of the crontab or a unit. Stopped instances stay stopped, and ' +
    'sleeping ones wake with the next request. If an instance fails to start, the others are still started, and ' +
    'the exit code is 1.',
  options: [
    {
      name: 'parallel',
      type: 'integer',
      min: 1,
      max: 64,
      summary: `Maximum number of simultaneous starts (default ${defaultParallel})`,
    },
  ],
  ability: 'operate',
  mutating: true,
  examples: ['startall', 'startall --parallel 8'],
  view: { type: 'table', columns: ['name', 'result', 'message'], empty: 'All instances that should run are running.' },
  async handler(call) {
    const { context, input, caller } = call
    const wanted = context.registry.instances().filter(({ desired }) => desired === 'started')
    const waiting = await idle(context, await observed(context, wanted))
    if (caller.dryRun)
      return {
        message: `${countText(waiting.length, 'instance')} would be started.`,
        list: waiting.map(({ name }) => ({ name, result: 'would be started', message: '' })),
      }
    const rest = [...waiting]
    const results: { readonly name: string; readonly result: string; readonly message: string }[] = []
    const work = async () => {
      for (let next = rest.shift(); next && !caller.signal?.aborted; next = rest.shift())
        results.push({ name: next.name, ...(await startOne(call, next)) })
    }
    await Promise.all(Array.from({ length: input.parallel ?? defaultParallel }, work))
    const failed = results.filter(({ result }) => result !== 'started').length
    return {
      message: `${results.length - failed} started, ${failed} failed, ${wanted.length - waiting.length} already running.`,
      list: results.toSorted((a, b) => a.name.localeCompare(b.name)),
      exitCode: failed > 0 ? 1 : 0,
    }
  },
})

async function startOne(
  { context, caller }: CallPlace,
  instance: Instance,
): Promise<{ readonly result: 'started' | 'failed'; readonly message: string }> {
  const { id, name } = instance
  // Steps of several operations at once would be no story.
  const { onEvent: _, ...quiet } = ofSeveral(caller)
  try {
    const { warnings } = await context.operations.run(startKind, { id, name }, quiet)
    return { result: 'started', message: [urlOf(instance), ...warnings].join('; ') }
  } catch (error) {
    return { result: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Those that do not run, and are not left to the next request. */
async function idle(context: ManagerContext, instances: readonly Instance[]): Promise<readonly Instance[]> {
  const found: Instance[] = []
  for (const one of instances) {
    if (isRunning(one.observed)) continue
    if (one.observed !== 'asleep' || (await sleepAfterMs(context, one)) === 0) found.push(one)
  }
  return found
}
