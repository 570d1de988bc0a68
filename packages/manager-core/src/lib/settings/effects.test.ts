import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Secret } from '../domain/secret.js'
import { settingsOf } from './settings-for-test.js'
import { globalTable } from './tables/global.js'
import { instanceTable } from './tables/instance.js'
import { versionTable } from './tables/version.js'
import type { Variable } from './variable.js'

/** Sources of the manager outside of its settings. */
const packages = join(import.meta.dirname, '../../../..')
const sources = globSync('{manager-core,manager-server,manager-cli}/src/**/*.{ts,tsx}', { cwd: packages })
  .filter((file) => !/\.test\.ts$|src\/lib\/settings\/|src\/lib\/testing\//.test(file))
  .map((file) => readFileSync(join(packages, file), 'utf8'))
const words = new Set(sources.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []))

/** What other variables need to mean something. */
const together = [
  'APPS_ACME=yes',
  'APPS_MAILSERVER=mail',
  'APPS_MAILUSER=me',
  'APPS_TERMINAL=yes',
  'APPS_UPGRADEREGISTRY=https://npm.example',
  'APPS_SCP_SERVER=server',
  'APPS_SCP_USER=me',
  'APPS_SCP_PATH=/x',
  'APPS_FTP_SERVER=server',
  'APPS_FTP_USER=me',
  'APPS_FTP_PASSWORD=x',
  'APPS_FTP_PATH=/x',
  'APPS_SWIFT_CONTAINER=one',
  'APPS_SWIFT_CONTAINER_ALT=two',
  'APPS_SWIFT_AUTH_URL=https://swift.example',
  'APPS_SWIFT_USERNAME=me',
  'APPS_SWIFT_PASSWORD=x',
  'APPS_S3_BUCKET=one',
  'APPS_GCS_BUCKET=one',
  'APPS_TARGET_NAS_TYPE=folder',
  'APPS_TARGET_NAS_PATH=/x',
]

const instanceLines = [
  'SERVICE_CONTEXT=/',
  'SERVICE_URL=http://127.0.0.1:1/io',
  'SERVICE_USER=service',
  'SERVICE_PASSWORD=x',
  'SERVICE_ADMIN_PASSWORD=x',
]

/** Values that only these take. */
const ofName: Readonly<Record<string, string>> = {
  APPS_LISTEN: '127.0.0.1:9',
  APPS_UPGRADEPIN: '1.2.0 sha512-x',
  APPS_SERVER_CERT: '/other',
}
const ofType: Readonly<Partial<Record<Variable['type'], string>>> = {
  url: 'https://other.example',
  path: '/other',
  networks: '10.0.0.1',
  abilities: 'read',
  targets: 'nas',
  ports: '1000-2000',
  window: '22:00-05:30',
  email: 'a@example.org',
  databases: 'sqlite,mysql',
}

/** A value that is allowed, and is not the one that holds now. */
function another(name: string, variable: Variable, now: string | undefined): string {
  const { type, choices = [], min = 1, max = 100_000 } = variable
  if (type === 'choice') return choices.find((choice) => choice !== now)!
  if (type === 'yes-no' || type === 'true-false') return now === 'yes' || now === 'true' ? 'no' : 'yes'
  if (type === 'integer' || type === 'limit')
    return String(Number(now ?? 0) + 1 > max ? min : Math.max(min, Number(now ?? 0) + 1))
  return ofName[name] ?? ofType[type] ?? 'other'
}

interface Place {
  readonly file: string
  readonly table: Readonly<Record<string, Variable>>
  /** Settings and descriptions with these lines. */
  read(
    lines: readonly string[],
  ): Promise<{ readonly settings: unknown; readonly hints: ReadonlyMap<string, string | undefined> }>
}

const hintsOf = (list: readonly { readonly name: string; readonly hint?: string }[]) =>
  new Map(list.map(({ name, hint }) => [name, hint]))

const places: readonly Place[] = [
  {
    file: 'config.sh',
    table: globalTable,
    async read(lines) {
      const { settings } = settingsOf([...together, ...lines])
      return { settings: settings.global, hints: hintsOf(settings.describe()) }
    },
  },
  {
    file: 'version-1.0.sh',
    table: versionTable,
    async read(lines) {
      const { home, settings } = settingsOf()
      writeFileSync(home.versionSettings('1.0'), `${lines.join('\n')}\n`)
      return { settings: await settings.version('1.0'), hints: hintsOf(settings.describe({ version: '1.0' })) }
    },
  },
  {
    file: 'settings.sh',
    table: instanceTable,
    async read(lines) {
      const { home, settings } = settingsOf()
      const { folder, settings: file } = home.instance('abc')
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, `${[...instanceLines, ...lines].join('\n')}\n`)
      return { settings: await settings.instance(folder), hints: hintsOf(settings.describe({ folder })) }
    },
  },
]

/** Names of members that differ, from the outermost one; none: nothing differs. */
function difference(one: unknown, two: unknown): readonly string[] {
  if (plain({ value: one }) === plain({ value: two })) return []
  if (typeof one !== 'object' || typeof two !== 'object' || !one || !two || one instanceof Secret) return ['']
  const keys = new Set([...Object.keys(one), ...Object.keys(two)])
  for (const key of keys) {
    const [a, b] = [(one as Record<string, unknown>)[key], (two as Record<string, unknown>)[key]]
    const inner = difference(a, b)
    if (inner.length > 0) return [key, ...inner].filter((name) => name !== '' && !/^\d+$/.test(name))
  }
  return ['']
}

function plain(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, shown: unknown) {
    const inner = this[key]
    return inner instanceof Secret ? inner.reveal() : shown
  })
}

describe.each(places)('variables of $file', ({ table, read }) => {
  it.each(Object.keys(table))('%s is used, or is reported to have no effect', async (name) => {
    const variable = table[name]!
    const before = await read([])
    const now = [...together, ...instanceLines].find((line) => line.startsWith(`${name}=`))?.split('=')[1]
    const text = another(name, variable, now ?? variable.default)
    const after = await read([`${name}="${text}"`])
    const hint = after.hints.get(name)
    if (variable.withoutEffect !== undefined) {
      expect(hint).toBe(`It has no effect here. ${variable.withoutEffect}`)
      expect(before.hints.get(name)).toBeUndefined()
      return
    }
    // What no reader of settings sees is passed on, or its hint says why it is not used.
    const members = difference(before.settings, after.settings)
    if (members.length === 0) return expect(hint).toMatch(/not used/)
    const unused = members.filter((member) => !words.has(member) && member !== name)
    expect(unused, `${name} is read into ${members.join('.')}`).toEqual([])
  })
})
