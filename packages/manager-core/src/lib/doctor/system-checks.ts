import { readdir } from 'node:fs/promises'
import { ManagerError } from '../../errors.js'
import { whyClosed } from '../requests/availability.js'
import type { Settings } from '../settings/settings.js'
import type { DoctorCheck, Finding } from './check.js'

/** Programs that make things better; without them there is a slower or a smaller way. */
const programs = [
  ['tar', 'backups are packed by a slower way'],
  ['zstd', 'backups are compressed by a slower way'],
  ['git', 'templates cannot come from git repositories'],
  ['npm', 'templates cannot come from npm packages, and the manager cannot upgrade itself'],
] as const

export const systemChecks: readonly DoctorCheck[] = [
  {
    id: 'runtime',
    category: 'system',
    title: 'Instances can be run here',
    async run({ runtime }) {
      const { ok, message } = await runtime.probe()
      return ok ? [] : [{ level: 'error', message }]
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
    title: 'Settings can be read and mean something',
    async run({ home, settings, registry }) {
      const names = await readdir(home.folder)
      const versions = names.flatMap((name) => /^version-(.+)\.sh$/.exec(name)?.[1] ?? [])
      const subjects = [
        undefined,
        ...versions.map((version) => ({ version })),
        ...registry.instances().map(({ id }) => ({ folder: home.instance(id).folder })),
      ]
      return subjects.flatMap((subject) => wrongIn(settings, subject))
    },
  },
  {
    id: 'registration',
    category: 'system',
    title: 'People who may register can',
    async run(context) {
      const reason = context.settings.global.allowRegister ? whyClosed(context) : undefined
      return reason === undefined ? [] : [{ level: 'warning', message: reason }]
    },
  },
]

function wrongIn(settings: Settings, subject: Parameters<Settings['describe']>[0]): readonly Finding[] {
  try {
    return settings
      .describe(subject)
      .flatMap(({ name, origin, hint }): Finding[] =>
        hint === undefined ? [] : [{ level: 'warning', message: `${name} (${origin}): ${hint}` }],
      )
  } catch (error) {
    // Other checks tell of homes and instances without their files.
    if (!ManagerError.is(error) || error.code === 'ERR_NOT_FOUND') return []
    return [{ level: 'error', message: error.message, ...(error.help !== undefined && { help: error.help }) }]
  }
}
