import { ManagerError } from '../../errors.js'
import type { Action } from '../action.js'
import { withProofs } from '../backup/proofs.js'
import type { ManagerContext } from '../context.js'
import { databaseTypes, isThrowAway, type Instance } from '../domain/instance.js'
import { accountNameAt } from '../instances/account-step.js'
import { selectInstances } from '../instances/select-instances.js'
import { observed, wireInstance } from '../instances/wire-instance.js'
import { wireLimits } from '../instances/wire-limits.js'
import { measured, overviews, wayOut, type ListedInstance, type ShownInstance } from '../overview/overview.js'
import { serverOf } from '../servers/application-server.js'
import { lastRehearsal } from '../upgrade/rehearse.js'
import { pointOf, sizeOfPoints } from '../upgrade/restore-points.js'
import { defineAction, type CallPlace } from './define-action.js'

export const lookingActions: readonly Action[] = [
  defineAction({
    name: 'list',
    aliases: ['ls'],
    group: 'Looking',
    summary: 'List instances',
    description: [
      'The filter is a version, a name with * for any characters, or a word in name, owner, company or custom URL.',
      'SQL:<condition> (or --where) filters by a condition in SQL on i (instances, with the columns of --json), v (their versions) and r (requests): SQL:"i.version_date < v.date". It may read only, for 5 seconds.',
      'Several filters are combined by AND.',
    ].join('\n\n'),
    parameters: [{ name: 'filter', type: 'text', summary: 'Version, name with *, word, or SQL:<condition>' }],
    options: [
      { name: 'version', short: 'v', type: 'text', summary: 'Version' },
      { name: 'database', short: 'd', type: 'choice', choices: databaseTypes, summary: 'Database type' },
      { name: 'runtime', type: 'runtime', summary: 'Runtime' },
      {
        name: 'status',
        short: 's',
        type: 'choice',
        choices: ['started', 'stopped', 'asleep', 'starting', 'degraded', 'crashed', 'suspended', 'unknown'],
        summary: 'Observed state',
      },
      { name: 'where', short: 'w', type: 'text', summary: 'Condition in SQL' },
      {
        name: 'order',
        short: 'o',
        type: 'text',
        summary: 'Columns to sort by, e.g. "version,-created" (default: name)',
      },
      {
        name: 'measure',
        type: 'yes-no',
        summary: 'Include health, uptime, memory and last backup (default: yes on the command line)',
      },
    ],
    ability: 'read',
    mutating: false,
    cached: true,
    scoped: true,
    examples: [
      'list',
      'list 1.0 --status started',
      "list 'demo*' --order -created",
      `list "SQL:i.status='started' and i.version_date < v.date"`,
    ],
    view: {
      type: 'table',
      columns: [
        'name',
        'state',
        'version',
        'update',
        'health',
        'public_url',
        'runtime',
        'uptime_seconds',
        'memory_mb',
        'last_backup',
        'restarts',
      ],
      optional: ['update'],
      empty: 'No instances match.',
    },
    async handler(call) {
      const { registry, settings } = call.context
      const { global } = settings
      const { word, where } = splitFilter(call)
      const { version, database, runtime, status, order } = call.input
      const stored = registry.instances().filter((instance) => !isThrowAway(instance))
      const instances = await withProofs(call.context, await observed(call.context, stored))
      const ids = where === undefined ? undefined : await idsWhere(call, where, stored, instances)
      const list = selectInstances(
        instances.filter(({ id }) => ids?.has(id) ?? true).map((one) => wireInstance(one, global)),
        { word, version, database, runtime, status, order },
        word === undefined ? [] : registry.versions().map((one) => one.version),
      )
      const shown = new Set(list.map(({ id }) => id))
      const found = instances.filter(({ id }) => shown.has(id))
      const known = overviews(call.context, found)
      const measures = call.input.measure ?? call.caller.surface === 'cli'
      const more = measures ? await measured(call.context, found, call.caller.signal) : undefined
      const warnings = found.flatMap((one) => wayOut(one, known.get(one.id)!) ?? [])
      return {
        message:
          stored.length === 1 && list.length === 1 ? '1 instance' : `${list.length} of ${stored.length} instances`,
        list: list.map((one): ListedInstance => ({ ...one, ...known.get(one.id)!, ...more?.get(one.id) })),
        ...(warnings.length > 0 && { warnings }),
      }
    },
  }),
  defineAction({
    name: 'get',
    group: 'Looking',
    summary: 'Show an instance',
    parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Its name' }],
    ability: 'read',
    mutating: false,
    examples: ['get demo', 'get demo --json'],
    view: { type: 'record' },
    async handler(call) {
      const { context, input } = call
      const stored = input.name
      const [instance] = await withProofs(context, await observed(context, [stored]))
      const overview = overviews(context, [instance!]).get(instance!.id)!
      const item: ShownInstance = {
        ...wireInstance(instance!, context.settings.global),
        ...overview,
        neutralised: await neutralised(call, instance!),
        ...(await restorePointOf(context, instance!)),
        ...rehearsalOf(context, instance!),
        ...(await wireLimits(context, instance!)),
        server: serverOf(context.home.instance(instance!.id).app),
        account: accountNameAt(context.home.instance(instance!.id).folder),
      }
      const warning = wayOut(instance!, overview)
      return { message: `${item.name} is ${item.observed}`, item, ...(warning && { warnings: [warning] }) }
    },
  }),
]

/** `unknown` when its settings cannot be read: the rest is worth showing all the same. */
async function neutralised({ context }: CallPlace, { id }: Instance): Promise<'yes' | 'no' | 'unknown'> {
  try {
    const settings = await context.settings.instance(context.home.instance(id).folder)
    return settings.neutralised ? 'yes' : 'no'
  } catch {
    return 'unknown'
  }
}

/** What `rollback` would go back to. */
async function restorePointOf(context: ManagerContext, instance: Instance) {
  const point = await pointOf(context, instance)
  const bytes = await sizeOfPoints(context.home.instance(instance.id).folder)
  return {
    restore_point: point?.created ?? '',
    restore_point_version: point?.from.version ?? '',
    restore_point_expires: point?.expires ?? '',
    restore_points_mb: Math.ceil(bytes / 2 ** 20),
  }
}

/** Whether the upgrade to what its version has now was rehearsed. */
function rehearsalOf(context: ManagerContext, instance: Instance): Pick<ShownInstance, 'rehearsed' | 'rehearsal'> {
  const newest = context.registry.versions().find(({ version }) => version === instance.version)
  const found = newest && lastRehearsal(context, instance, newest.revision)
  return { rehearsed: found?.at ?? '', rehearsal: found === undefined ? '' : found.good ? 'good' : 'failed' }
}

interface FilterCall extends Pick<CallPlace, 'caller'> {
  readonly input: { readonly filter: string | undefined; readonly where: string | undefined }
}

/** `SQL:…` is a condition; so is --where. Both: both must hold. */
function splitFilter({ input, caller }: FilterCall): { readonly word?: string; readonly where?: string } {
  const { filter, where: option } = input
  const isSql = filter !== undefined && /^sql:/i.test(filter)
  const conditions = [...(isSql ? [filter.slice(4)] : []), ...(option === undefined ? [] : [option])]
  if (conditions.length > 0 && caller.surface === 'api')
    throw new ManagerError('ERR_USAGE', 'Conditions in SQL are for the command line only.')
  if (conditions.some((one) => one.trim() === ''))
    throw new ManagerError('ERR_USAGE', 'The condition in SQL is empty.', { command: 'list --help' })
  return {
    ...(filter !== undefined && !isSql && { word: filter }),
    ...(conditions.length > 0 && {
      where: conditions.length === 1 ? conditions[0] : conditions.map((one) => `(${one})`).join(' and '),
    }),
  }
}

async function idsWhere(
  { context: { home }, caller: { signal } }: CallPlace,
  where: string,
  stored: readonly Instance[],
  seen: readonly Instance[],
): Promise<ReadonlySet<string>> {
  const { filterBySql } = await import('../instances/query/filter-by-sql.js')
  const fresh = seen
    .filter((one, at) => one !== stored[at])
    .map(({ id, observed: state, proved }) => [id, state, proved] as const)
  return filterBySql({ file: home.database, where, fresh, signal })
}
