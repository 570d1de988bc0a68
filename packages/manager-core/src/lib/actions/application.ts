import { ManagerError } from '../../errors.js'
import { goAccessReport, hasGoAccess } from '../access-logs/goaccess.js'
import { readRequests } from '../access-logs/read-requests.js'
import { summaryHtml, summaryText } from '../access-logs/report.js'
import { summarise } from '../access-logs/summarise.js'
import type { Action, ActionCall, ActionResult, Parameter } from '../action.js'
import { callIo } from '../application/call-io.js'
import { monitor } from '../application/monitor.js'
import type { ManagerContext } from '../context.js'
import { isRunning } from '../domain/instance.js'
import type { Instance } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { recordHistory } from '../history/record-history.js'
import { checkHealth } from '../runtime/health.js'
import type { InstanceSettings } from '../settings/settings.js'

const name: Parameter = { name: 'name', type: 'instance', required: true, summary: 'Name of the instance' }

const health: Action = {
  name: 'health',
  formerly: ['ping', 'healthcheck'],
  group: 'Application',
  summary: 'Show what the health check of an instance says',
  parameters: [name],
  ability: 'read',
  mutating: false,
  examples: ['health demo', 'health demo --json'],
  view: { type: 'text' },
  async handler({ context, input }) {
    const instance = context.registry.get(input.name as string)
    const { ok, reason, text, sections, responseTime } = await checkHealth(instance.port)
    const message = text === '' ? `"${instance.name}" does not answer (${reason}).` : text
    return {
      message,
      data: { health: { ok, reason: reason ?? null, responseTime, ...(sections as Record<string, Json>) } },
      exitCode: ok ? 0 : 1,
    }
  },
}

const monitorAction: Action = {
  name: 'monitor',
  group: 'Application',
  summary: 'Check the health of an instance at intervals',
  description:
    'A line per check. On each error or warning, and once when all is well again, the hook monitoring.sh is called with ' +
    'the name and a reason: unreachable, http-<code>, status-<value>, slow or recovered. Ctrl-C ends it.',
  parameters: [
    name,
    { name: 'interval', type: 'integer', min: 1, max: 86_400, summary: 'Seconds between checks (default 60)' },
  ],
  options: [
    { name: 'count', type: 'integer', min: 1, summary: 'End after so many checks' },
    { name: 'slow', type: 'integer', min: 1, summary: 'An answer after so many ms is a warning (default 5000)' },
  ],
  ability: 'read',
  mutating: false,
  surfaces: ['cli'],
  examples: ['monitor demo', 'monitor demo 10', 'monitor demo 1 --count 5'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const instance = context.registry.get(input.name as string)
    const stream = monitor(context, instance, {
      intervalSeconds: (input.interval as number | undefined) ?? 60,
      count: input.count as number | undefined,
      slowMs: (input.slow as number | undefined) ?? 5000,
      signal: caller.signal ?? new AbortController().signal,
    })
    return { message: `Checking "${instance.name}"`, stream }
  },
}

const ioCredentials: Action = {
  name: 'iocredentials',
  group: 'Application',
  summary: 'Show address, user and password of the I/O endpoint of an instance',
  description:
    "Also the administrator of the instance's first start, whose password may have been changed since. The users of a " +
    'clone, and of an instance that was made of a backup, are those in its data, with their passwords.',
  parameters: [name],
  ability: 'sensitive',
  mutating: false,
  examples: ['iocredentials demo', 'iocredentials demo --json'],
  view: { type: 'text' },
  async handler({ context, input }) {
    const { instance, settings } = await instanceOf(context, input.name as string)
    const { url, user, password, adminUser, adminPassword } = settings
    const madeItsUsers = instance.source.startsWith('template:')
    const shown = [
      ['I/O address', url],
      ['I/O user', user],
      ['I/O password', password.reveal()],
      ...(madeItsUsers
        ? [
            ['Administrator', adminUser],
            ["Administrator's first password", adminPassword.reveal()],
          ]
        : [['Administrator', `as in the data that it was made of (${instance.source})`]]),
    ]
    return {
      message: shown.map(([label, value]) => `${label}: ${value}`).join('\n'),
      data: {
        io_url: url,
        io_user: user,
        io_password: password.reveal(),
        ...(madeItsUsers && { admin_user: adminUser, admin_password: adminPassword.reveal() }),
      },
    }
  },
}

/** What `task-<name>` does, and its parameter. Source: requirements, "Command line". */
const tasks: readonly (readonly [task: string, summary: string, field?: string, parameter?: string])[] = [
  ['purgelogs', 'Purge the log lines that an instance keeps', 'depth', 'Keep those of so many days'],
  ['purgejobs', 'Purge finished jobs of an instance', 'depth', 'Keep those of so many days'],
  ['purgesupervisions', 'Purge supervisions of an instance', 'depth', 'Keep those of so many days'],
  ['purgerecyclebin', 'Purge the recycle bin of an instance', 'depth', 'Keep those of so many days'],
  ['purgeexports', 'Purge kept exports of an instance', 'depth', 'Keep those of so many days'],
  ['purgetempfiles', 'Purge temporary files of an instance', 'depth', 'Keep those of so many days'],
  ['purgeall', 'Purge everything that can be purged in an instance', 'depth', 'Keep what is of so many days'],
  ['buildindex', 'Build the search index of an instance anew', 'object', 'Of one object only'],
  ['clearcache', 'Clear the caches of an instance'],
]

const taskActions = tasks.map(([task, summary, field, about]): Action => {
  const parameter: readonly Parameter[] =
    field === 'depth'
      ? [{ name: 'depth', type: 'integer', min: 0, max: 99_999, summary: about as string }]
      : field === undefined
        ? []
        : [{ name: field, type: 'text', summary: about as string }]
  return {
    name: `task-${task}`,
    formerly: [`ant-${task}`],
    group: 'Application',
    summary,
    parameters: [name, ...parameter],
    ability: 'operate',
    mutating: true,
    surfaces: ['cli'],
    examples: [`task-${task} demo${field === 'depth' ? ' 30' : ''}`],
    view: { type: 'text' },
    async handler(call) {
      const given = field === undefined ? undefined : call.input[field]
      return runIo(call, task, given === undefined ? {} : { [field as string]: String(given) })
    },
  }
})

const unitTests: Action = {
  // Spelled so in the requirements, "Command line".
  name: 'unitttests',
  aliases: ['unittests'],
  group: 'Application',
  summary: 'Run unit tests of the application on an instance',
  description: 'What a test writes is undone. Ends with 1 when a test fails.',
  parameters: [
    name,
    {
      name: 'test',
      type: 'text',
      required: true,
      summary: 'Name of a test module: tests/<name>.ts of the application',
    },
  ],
  ability: 'operate',
  mutating: true,
  surfaces: ['cli'],
  examples: ['unitttests demo contacts', 'unittests demo contacts --json'],
  view: { type: 'text' },
  async handler(call) {
    return runIo(call, 'unittests', { test: call.input.test as string })
  },
}

const accessLogs: Action = {
  name: 'accesslogs',
  group: 'Application',
  summary: 'Report on the requests to an instance',
  description:
    "Counted from the logs that are kept, without the manager's own health checks. --html gives a report as one HTML file, made by GoAccess where it is installed.",
  parameters: [name],
  options: [{ name: 'html', type: 'flag', summary: 'Report as an HTML file' }],
  ability: 'read',
  mutating: false,
  examples: ['accesslogs demo', 'accesslogs demo --json', 'accesslogs demo --html'],
  view: { type: 'text' },
  async handler({ context, input }) {
    const instance = context.registry.get(input.name as string)
    const { logs } = context.home.instance(instance.id)
    if (input.html === true) {
      const content = (await hasGoAccess())
        ? await goAccessReport(readRequests(logs), instance.name)
        : summaryHtml(instance.name, await summarise(readRequests(logs)))
      return {
        message: `Requests to "${instance.name}"`,
        file: { name: `accesslogs-${instance.name}.html`, mime: 'text/html', content: () => bytesOf(content) },
      }
    }
    const summary = await summarise(readRequests(logs))
    return { message: summaryText(instance.name, summary), item: summary as unknown as Json }
  },
}

export const applicationActions: readonly Action[] = [
  health,
  monitorAction,
  ioCredentials,
  ...taskActions,
  unitTests,
  accessLogs,
]

async function runIo(
  { context, input, caller }: ActionCall,
  service: string,
  fields: Readonly<Record<string, string>>,
): Promise<ActionResult> {
  const { instance, settings } = await instanceOf(context, input.name as string)
  const action = service === 'unittests' ? 'unitttests' : `task-${service}`
  if (!isRunning(instance.observed))
    throw new ManagerError('ERR_STATE', `"${instance.name}" is stopped, and ${action} needs it started.`, {
      command: `start ${instance.name}`,
    })
  if (caller.dryRun) return { message: `Would call ${service} of "${instance.name}".` }
  return recordHistory(context, caller, { action, instance, parameters: { ...fields } }, async () => {
    const { ok, status, text } = await callIo(settings, { service, fields, signal: caller.signal })
    if (!ok && status !== 500) throw new ManagerError('ERR_FAILED', `"${instance.name}" refused ${service}: ${text}`)
    return { message: text, data: { ok }, exitCode: ok ? 0 : 1 }
  })
}

async function instanceOf(
  context: ManagerContext,
  name: string,
): Promise<{ readonly instance: Instance; readonly settings: InstanceSettings }> {
  const instance = context.registry.get(name)
  return { instance, settings: await context.settings.instance(context.home.instance(instance.id).folder) }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
