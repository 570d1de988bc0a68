import { readdir } from 'node:fs/promises'
import { ManagerError } from '../../errors.js'
import { asAccount, type SystemAccount } from '../accounts/account.js'
import { findAccount } from '../accounts/find-account.js'
import { runForeignProgram } from '../accounts/foreign-program.js'
import { isolationOf } from '../accounts/why-not.js'
import { configuredVersions, type Home } from '../domain/home.js'
import { clockDoubt } from '../history/believed-time.js'
import { whyClosed } from '../requests/availability.js'
import type { Settings } from '../settings/settings.js'
import type { DoctorCheck, Finding } from './check.js'

/** Programs that make things better; without them there is a slower or a smaller way. */
const programs = [
  ['tar', 'backups are packed by a slower method'],
  ['zstd', 'backups are compressed by a slower method'],
  ['git', 'templates cannot come from git repositories'],
  ['npm', 'templates cannot come from npm packages, and the manager cannot upgrade itself'],
] as const

export const systemChecks: readonly DoctorCheck[] = [
  {
    id: 'clock',
    category: 'system',
    title: 'The clock did not leap',
    async run(context) {
      const doubt = clockDoubt(context)
      if (doubt === undefined) return []
      return [
        {
          level: 'error',
          message: doubt,
          help: 'Set the clock if it is wrong. If it is right, nothing has to be done.',
        },
      ]
    },
  },
  {
    id: 'runtime',
    category: 'system',
    title: 'Instances can be run here',
    async run({ runtimes, registry, settings }) {
      const used = new Set(registry.instances().map(({ runtime }) => runtime))
      const findings: Finding[] = []
      const ofVersions = await Promise.all(
        registry
          .versions()
          .map(async ({ version }) => (await settings.version(version).catch(() => undefined))?.runtime),
      )
      const wanted = [settings.global.runtime, ...ofVersions.filter((name) => name !== undefined), ...used]
      for (const name of new Set(wanted)) {
        const { ok, message } = await runtimes.probe(name)
        findings.push(
          ok
            ? { level: 'ok', message }
            : {
                level: 'error',
                message,
                help: used.has(name)
                  ? 'Fix this. Until then, its instances cannot be started, stopped or moved.'
                  : 'Fix this, or choose another runtime: APPS_RUNTIME in config.sh or in the file of the version.',
              },
        )
      }
      return findings
    },
  },
  {
    id: 'programs',
    category: 'system',
    title: 'Programs that the manager uses are installed',
    async run() {
      const { execa } = await import('execa')
      const findings: Finding[] = []
      for (const [program, consequence] of programs) {
        const { failed } = await execa(program, ['--version'], { reject: false, stdin: 'ignore' })
        if (failed) findings.push({ level: 'warning', message: `${program} is not installed: ${consequence}.` })
      }
      return findings
    },
  },
  {
    id: 'settings',
    category: 'settings',
    title: 'Settings are valid',
    async run({ home, settings, registry }) {
      const versions = configuredVersions(await readdir(home.folder))
      const subjects = [
        undefined,
        ...versions.map((version) => ({ version })),
        ...registry.instances().map(({ id }) => ({ folder: home.instance(id).folder })),
      ]
      const errors = (await Promise.all(subjects.map((subject) => unusable(settings, subject)))).flat()
      const others = subjects
        .flatMap((subject) => wrongIn(settings, subject))
        .filter(({ message }) => !errors.some((error) => message.endsWith(error.message)))
      return [...errors, ...others]
    },
  },
  {
    id: 'default-version',
    category: 'settings',
    title: 'The default version exists',
    async run({ settings, templates }) {
      const wanted = settings.global.defaultVersion
      const versions = (await templates.list()).map(({ version }) => version)
      if (wanted === undefined || versions.includes(wanted)) return []
      return [
        {
          level: 'error',
          message: `APPS_DEFAULTVERSION is "${wanted}", but this version does not exist.`,
          help: `Versions are ${versions.join(', ') || 'not there yet: manager refresh fetches them'}.`,
        },
      ]
    },
  },
  {
    id: 'system-user',
    category: 'system',
    title: 'The manager has its own user, who can use its home',
    async run(context) {
      const { home, settings } = context
      if (process.getuid?.() !== 0) return []
      const { systemUser } = settings.global
      // Those without an account are named by a check of their own.
      if (systemUser === undefined || systemUser === 'root') return isolationOf(context).isOn ? [] : [runsAsRoot]
      const account = findAccount(systemUser)
      if (!account)
        return [
          {
            level: 'error',
            message: `The user "${systemUser}" (APPS_USER) does not exist on this machine.`,
            help: 'Correct APPS_USER in config.sh.',
          },
        ]
      // To give such a home to another user would take their files away from the accounts.
      if (isolationOf(context).isOn || (await canUse(account, home))) return []
      return [
        {
          level: 'error',
          message: `The user "${systemUser}" (APPS_USER) can neither read nor change ${home.folder}.`,
          help:
            'Stop all instances, take their accounts away from those that have one (manager isolate --all --undo), ' +
            `then give the home to that user: chown -R ${systemUser} ${home.folder}`,
        },
      ]
    },
  },
  {
    id: 'registration',
    category: 'system',
    title: 'Self-registration works if enabled',
    async run(context) {
      const reason = context.settings.global.allowRegister ? whyClosed(context) : undefined
      return reason === undefined ? [] : [{ level: 'warning', message: reason }]
    },
  },
]

const runsAsRoot: Finding = {
  level: 'warning',
  message: 'The manager runs as root, and so do instances without their own system account.',
  help: 'Run it as its own user (APPS_USER), or give instances accounts: manager isolate.',
}

/** Asked as that user: groups and access lists count, too. */
async function canUse(account: SystemAccount, { folder, config }: Home): Promise<boolean> {
  const [program, before] = asAccount(account, '/bin/sh')
  const { code } = await runForeignProgram({
    program,
    args: [...before, '-c', '[ -w "$0" ] && [ -x "$0" ] && [ -r "$1" ]', folder, config],
    folder: '/',
    environment: { PATH: process.env['PATH'] },
    limitMs: 10_000,
    longest: 1_000,
  })
  return code === 0
}

/** What commands that need it are refused for. */
async function unusable(settings: Settings, subject: Parameters<Settings['describe']>[0]): Promise<readonly Finding[]> {
  try {
    if (subject === undefined) return settings.problems().map(unusableFinding)
    await ('version' in subject ? settings.version(subject.version) : settings.instance(subject.folder))
    return []
  } catch (error) {
    if (!ManagerError.is(error) || error.code !== 'ERR_SETTINGS') return []
    return [unusableFinding(error)]
  }
}

function unusableFinding({ message, help }: ManagerError): Finding {
  return { level: 'error', message, help: help ?? 'Correct it. Until then, commands that need it are refused.' }
}

function wrongIn(settings: Settings, subject: Parameters<Settings['describe']>[0]): readonly Finding[] {
  try {
    return settings
      .describe(subject)
      .flatMap(({ name, origin, hint }): Finding[] =>
        hint === undefined ? [] : [{ level: 'warning', message: `${name} (${origin}): ${hint}` }],
      )
  } catch (error) {
    // Other checks report homes and instances without their files.
    if (!ManagerError.is(error) || error.code === 'ERR_NOT_FOUND') return []
    return [{ level: 'error', message: error.message, ...(error.help !== undefined && { help: error.help }) }]
  }
}
