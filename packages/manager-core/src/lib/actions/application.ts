import { ManagerError } from '../../errors.js'
import { goAccessReport, hasGoAccess } from '../access-logs/goaccess.js'
import { readRequests } from '../access-logs/read-requests.js'
import { summaryHtml, summaryText } from '../access-logs/report.js'
import { summarise } from '../access-logs/summarise.js'
import { accountAt } from '../accounts/account.js'
import type { Action, ActionResult } from '../action.js'
import { callIo } from '../application/call-io.js'
import { healthPlace } from '../application/health-place.js'
import { monitor } from '../application/monitor.js'
import type { ManagerContext } from '../context.js'
import { isRunning } from '../domain/instance.js'
import type { Instance } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { isWebapp, notForWebapps } from '../files/webapp.js'
import { recordHistory } from '../history/record-history.js'
import { checkHealth } from '../runtime/health.js'
import { refOf } from '../runtime/instance-ref.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import type { InstanceSettings } from '../settings/settings.js'
import { defineAction, type CallPlace } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

/** The health report of an instance, as `health` answers it: sections by name, beside the members that all have. */
export type WireHealth = {
  readonly ok: boolean
  readonly reason: string | null
  /** In ms. */
  readonly responseTime: number
  readonly [section: string]: Json
}

const health = defineAction({
  name: 'health',
  formerly: ['ping', 'healthcheck'],
  group: 'Application',
  summary: 'Show the health of an instance',
  parameters: [nameOfInstance],
  ability: 'read',
  mutating: false,
  examples: ['health demo', 'health demo --json'],
  view: { type: 'text' },
  async handler({ context, input }) {
    const instance = input.name
    if (instance.observed === 'asleep')
      return {
        message: `"${instance.name}" is asleep: the next request wakes it.`,
        data: { health: { ok: true, reason: 'asleep', responseTime: 0 } satisfies WireHealth },
      }
    const place = healthPlace(context, instance)
    const { ok, reason, text, sections, responseTime, silent, problem } = await checkHealth(place)
    const message =
      silent !== undefined
        ? `"${instance.name}" answers /health with HTTP ${silent}: its web application does not report its health.`
        : reason === 'not-deployed'
          ? `Tomcat could not deploy the web application of "${instance.name}"; its log says why: manager logs ${instance.name}`
          : problem !== undefined
            ? `"${instance.name}" cannot be believed: ${problem}`
            : text === ''
              ? `"${instance.name}" does not answer (${reason}).`
              : text
    return {
      message,
      data: {
        health: {
          ok,
          reason: reason ?? null,
          responseTime,
          ...(silent !== undefined && { silent }),
          ...(sections as Record<string, Json>),
        } satisfies WireHealth,
      },
      exitCode: ok ? 0 : 1,
    }
  },
})

const monitorAction = defineAction({
  name: 'monitor',
  group: 'Application',
  summary: 'Check the health of an instance at intervals',
  description:
    'Prints one line per check; one that was stopped is not checked. Calls the hook monitoring.sh on each error or warning, and once when the ' +
    'instance has recovered, with the name and a reason: unreachable, http-<code>, status-<value>, slow, ' +
    'foreign (a program of another user answers at its port) or recovered. Press Ctrl-C to end.',
  parameters: [
    nameOfInstance,
    { name: 'interval', type: 'integer', min: 1, max: 86_400, summary: 'Seconds between checks (default 60)' },
  ],
  options: [
    { name: 'count', type: 'integer', min: 1, summary: 'Number of checks (default: until Ctrl-C)' },
    { name: 'slow', type: 'integer', min: 1, summary: 'Response time in ms that counts as slow (default 5000)' },
  ],
  ability: 'read',
  mutating: false,
  surfaces: ['cli'],
  examples: ['monitor demo', 'monitor demo 10', 'monitor demo 1 --count 5'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const instance = input.name
    const stream = monitor(context, instance, {
      intervalSeconds: input.interval ?? 60,
      count: input.count,
      slowMs: input.slow ?? 5000,
      signal: caller.signal ?? new AbortController().signal,
    })
    return { message: `Checking "${instance.name}"`, stream }
  },
})

const ioCredentials = defineAction({
  name: 'iocredentials',
  group: 'Application',
  summary: "Show the address, user and password of an instance's I/O endpoint",
  description:
    'Also shows the first administrator, whose password may have changed since. A clone, and an instance created ' +
    'from a backup, has the users and passwords of its data.',
  parameters: [nameOfInstance],
  ability: 'sensitive',
  mutating: false,
  examples: ['iocredentials demo', 'iocredentials demo --json'],
  view: { type: 'text' },
  async handler({ context, input }) {
    const instance = input.name
    const settings = await settingsOf(context, instance)
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
        : [['Administrator', `the one in its data (${instance.source})`]]),
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
})

const depth = (summary: string) => ({ name: 'depth', type: 'integer', min: 0, max: 99_999, summary }) as const
const ofObject = { name: 'object', type: 'text', summary: 'One object only' } as const

/** What `task-<name>` does, and its parameter. Source: docs/spec/instances-manager.md, "Command line". */
const tasks: readonly (readonly [
  task: string,
  summary: string,
  parameter?: ReturnType<typeof depth> | typeof ofObject,
])[] = [
  ['purgelogs', 'Purge the stored log lines of an instance', depth('Days to keep')],
  ['purgejobs', 'Purge finished jobs of an instance', depth('Days to keep')],
  ['purgesupervisions', 'Purge supervisions of an instance', depth('Days to keep')],
  ['purgerecyclebin', 'Purge the recycle bin of an instance', depth('Days to keep')],
  ['purgeexports', 'Purge the stored exports of an instance', depth('Days to keep')],
  ['purgetempfiles', 'Purge temporary files of an instance', depth('Days to keep')],
  ['purgeall', 'Purge everything that can be purged in an instance', depth('Days to keep')],
  ['buildindex', 'Rebuild the search index of an instance', ofObject],
  ['clearcache', 'Clear the caches of an instance'],
]

const taskActions = tasks.map(([task, summary, parameter]) =>
  defineAction({
    name: `task-${task}`,
    formerly: [`ant-${task}`],
    group: 'Application',
    summary,
    parameters: [nameOfInstance, ...(parameter ? [parameter] : [])],
    ability: 'operate',
    mutating: true,
    surfaces: ['cli'],
    examples: [`task-${task} demo${parameter?.name === 'depth' ? ' 30' : ''}`],
    view: { type: 'text' },
    async handler(call) {
      const { name: instance, ...given } = call.input
      const fields = Object.entries(given).filter(([, value]) => value !== undefined)
      return runIo(call, {
        instance,
        action: `task-${task}`,
        service: task,
        fields: Object.fromEntries(fields.map(([field, value]) => [field, String(value)])),
      })
    },
  }),
)

const unitTests = defineAction({
  // Spelled so in docs/spec/instances-manager.md, "Command line".
  name: 'unitttests',
  aliases: ['unittests'],
  group: 'Application',
  summary: 'Run the unit tests of the application on an instance',
  description: 'What tests write is rolled back. The exit code is 1 when a test fails.',
  parameters: [
    nameOfInstance,
    {
      name: 'test',
      type: 'text',
      required: true,
      summary: 'Test module: <name> of tests/<name>.ts in the application',
    },
  ],
  ability: 'operate',
  mutating: true,
  surfaces: ['cli'],
  examples: ['unitttests demo contacts', 'unittests demo contacts --json'],
  view: { type: 'text' },
  async handler(call) {
    const { name: instance, test } = call.input
    return runIo(call, { instance, action: 'unitttests', service: 'unittests', fields: { test } })
  },
})

const accessLogs = defineAction({
  name: 'accesslogs',
  group: 'Application',
  summary: 'Report on the requests to an instance',
  description:
    "Counts the requests in the stored logs, without the manager's own health checks. --html writes one HTML " +
    'file, by GoAccess if it is installed.',
  parameters: [nameOfInstance],
  options: [{ name: 'html', type: 'flag', summary: 'Write an HTML file' }],
  ability: 'read',
  mutating: false,
  examples: ['accesslogs demo', 'accesslogs demo --json', 'accesslogs demo --html'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const instance = input.name
    const { folder, logs } = context.home.instance(instance.id)
    const requests = readRequests(logs, { owner: accountAt(folder)?.uid, signal: caller.signal })
    if (input.html) {
      const content = (await hasGoAccess())
        ? await goAccessReport(requests, instance.name)
        : summaryHtml(instance.name, await summarise(requests))
      return {
        message: `Requests to "${instance.name}"`,
        file: { name: `accesslogs-${instance.name}.html`, mime: 'text/html', content: () => bytesOf(content) },
      }
    }
    const summary = await summarise(requests)
    return { message: summaryText(instance.name, summary), item: summary as unknown as Json }
  },
})

export const applicationActions: readonly Action[] = [
  health,
  monitorAction,
  ioCredentials,
  ...taskActions,
  unitTests,
  accessLogs,
]

interface IoCall {
  readonly instance: Instance
  /** Its name in the history. */
  readonly action: string
  readonly service: string
  readonly fields: Readonly<Record<string, string>>
}

async function runIo(
  { context, caller }: CallPlace,
  { instance, action, service, fields }: IoCall,
): Promise<ActionResult> {
  const { app } = context.home.instance(instance.id)
  if (isWebapp(app)) throw notForWebapps(app, `${action} works with Node applications only.`)
  const settings = await settingsOf(context, instance)
  if (!isRunning(instance.observed))
    throw new ManagerError(
      'ERR_STATE',
      `"${instance.name}" is ${instance.observed === 'asleep' ? 'asleep' : 'stopped'}, but ${action} needs a ` +
        'started instance.',
      {
        command: `start ${instance.name}`,
      },
    )
  if (caller.dryRun) return { message: `Would call ${service} of "${instance.name}".` }
  return recordHistory(context, caller, { action, instance, parameters: { ...fields } }, async () => {
    const { ok, status, text } = await callIo(settings, ownerOfPort(context.runtimes, refOf(context, instance)), {
      service,
      fields,
      signal: caller.signal,
    })
    if (!ok && status !== 500) {
      // All that can be wrong with a call for unit tests is the module.
      const code = service === 'unittests' ? 'ERR_NOT_FOUND' : 'ERR_FAILED'
      throw new ManagerError(code, `"${instance.name}" refused ${service}: ${text}`)
    }
    return { message: text, data: { ok }, exitCode: ok ? 0 : 1 }
  })
}

function settingsOf({ settings, home }: ManagerContext, { id }: Instance): Promise<InstanceSettings> {
  return settings.instance(home.instance(id).folder)
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
