import type { ActionResult } from '../action.js'
import type { ManagerContext } from '../context.js'
import { isThrowAway, type Instance } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { countText } from '../domain/readable.js'
import { observed, wireInstance } from '../instances/wire-instance.js'
import { createLogFilter } from '../logs/log-filter.js'
import { measured, overviews, wayOut } from '../overview/overview.js'
import { scheduleProblems } from '../overview/schedule-problems.js'
import { serverOverview } from '../overview/server-overview.js'
import type { OperationItem } from '../runs/operation-item.js'
import { refOf } from '../runtime/instance-ref.js'
import { redact } from '../runtime/redact.js'
import { failureOf } from '../system/failure.js'
import { defineAction, type CallPlace } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

/** How many lines of its log an instance is shown with. */
const logLines = 10

export const statusAction = defineAction({
  name: 'status',
  group: 'Looking',
  summary: 'Show the status of an instance, or of the whole manager',
  description:
    'For an instance: address, version, state, health, uptime, memory, database and its size, last backup, ' +
    'automatic tasks, running operations and those that need attention, and the last lines of the log. Without a ' +
    'name: the server, the number of instances by state, and the instances that need attention.',
  parameters: [{ ...nameOfInstance, required: false, summary: 'Name of the instance (default: the whole manager)' }],
  ability: 'read',
  mutating: false,
  scoped: true,
  examples: ['status', 'status demo', 'status demo --json'],
  view: { type: 'record' },
  async handler(call) {
    const { context, input, caller } = call
    if (input.name) return ofInstance(call, input.name)
    const stored = context.registry.instances().filter((one) => !isThrowAway(one))
    const instances = await observed(context, stored)
    const overview = await serverOverview(context, instances)
    const item = { ...overview, ...(caller.grant.scope.all && { problems: await problemsOf(context) }) }
    const known = overviews(context, instances)
    return {
      message: countText(item.instances, 'instance'),
      item,
      ...withWarnings(instances.flatMap((one) => wayOut(one, known.get(one.id)!) ?? [])),
    }
  },
})

async function ofInstance({ context, caller }: CallPlace, stored: Instance): Promise<ActionResult> {
  const [instance = stored] = await observed(context, [stored])
  const overview = overviews(context, [instance]).get(instance.id)!
  const [all, database, operations, log] = await Promise.all([
    measured(context, [instance], caller.signal),
    databaseOf(context, instance),
    context.runs.list({ instance: instance.name, scope: caller.grant.scope, limit: 20 }),
    lastLines(context, instance),
  ])
  const wire = wireInstance(instance, context.settings.global)
  const { last_backup, ...now } = all.get(instance.id)!
  const item = {
    name: wire.name,
    state: overview.state,
    runtime: wire.runtime,
    ...now,
    public_url: wire.public_url,
    url: wire.url,
    version: wire.version,
    version_date: wire.version_date,
    revision: instance.revision,
    update: overview.update || 'none',
    ...database,
    last_backup: last_backup || 'none',
    proved: wire.proved || 'never',
    saved_automatically: wire.auto_save,
    upgraded_automatically: wire.auto_update,
    protected: wire.protected,
    attention: overview.attention,
    operations: operations
      .filter((one) => !isSettled(one))
      .map(({ title, state, started }) => ({ title, state, started })),
  }
  const warning = wayOut(instance, overview)
  return { message: `"${wire.name}" is ${overview.state}.`, item, list: log, ...withWarnings(warning ? [warning] : []) }
}

function isSettled({ state }: Pick<OperationItem, 'state'>): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'rolled_back'
}

function withWarnings(warnings: readonly string[]) {
  return warnings.length > 0 ? { warnings } : {}
}

/** Where the database cannot be reached, that is what there is to know of it. */
async function databaseOf({ home, settings, databases }: ManagerContext, { id, database }: Instance) {
  const { folder } = home.instance(id)
  try {
    const account = databases.account(folder, await settings.instance(folder))
    const { bytes } = await databases.server(database).extent(account)
    return { database, database_size: bytes }
  } catch (error) {
    return { database: `${database}: ${(error as Error).message}`, database_size: null }
  }
}

async function lastLines(context: ManagerContext, instance: Instance): Promise<Json[]> {
  const lines: Json[] = []
  const filter = () => createLogFilter({})
  try {
    for await (const line of context.runtimes.of(instance).logs(refOf(context, instance), { lines: logLines, filter }))
      lines.push(redact(line))
  } catch (error) {
    // The rest is worth showing all the same.
    lines.push(failureOf(error).message)
  }
  return lines
}

/** What keeps the manager itself from what it should do. */
async function problemsOf(context: ManagerContext): Promise<readonly string[]> {
  const schedule = await scheduleProblems(context).catch((error: unknown) => [failureOf(error)])
  return [...context.settings.problems(), ...schedule].map(({ message }) => message)
}
