import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { randomId } from '../../domain/names.js'
import { endAccountsOf } from '../accounts-of.js'
import type { TestManager } from '../create-test-manager.js'
import type { Canaries } from './canaries.js'
import { copyBackup, forgeManifest, type Forgery } from './forgery.js'
import { createOperator } from './operating.js'
import { deathOf, trace, type AttackRun, type Harm } from './run-attacks.js'
import type { Call, Outcome } from './operator.js'

/** The calls of one backup that find the most. */
const someUses = (backup: string): readonly Call[] => [
  { action: 'backups verify', input: { name: 'demo', backup, deep: true } },
  { action: 'restore', input: { name: 'demo', from: backup, as: 'forged' } },
  { action: 'restart', input: { name: 'forged' } },
]

/** What is done with one backup. */
const allUses = (backup: string): readonly Call[] => [
  ...someUses(backup),
  { action: 'clone', input: { name: 'forged', new: 'again' } },
  { action: 'prove', input: { name: 'demo', backup } },
  { action: 'restore', input: { name: 'demo', from: backup } },
  { action: 'restore', input: { name: 'demo', from: backup, only: 'app' } },
  { action: 'download', input: { name: 'demo', backup }, file: 'backup.tar' },
]

/** What shows backups, or does something with all of them. */
const overviews: readonly Call[] = [
  { action: 'list', input: { measure: true } },
  { action: 'backups list', input: { name: 'demo' } },
  { action: 'checksaves' },
  { action: 'doctor' },
  { action: 'status' },
  { action: 'backups prune' },
]

export interface ForgeryOptions {
  /** With a stopped instance `demo` that has a backup. */
  readonly test: TestManager
  readonly canaries: Canaries
  readonly forgeries: readonly Forgery[]
  /** Uses each backup in every way. Default: in those that find the most. */
  readonly all?: boolean
}

/** Uses a copy of the latest backup of `demo` after each forgery, and then shows all of them. */
export async function runForgeries({ test, canaries, forgeries, all = false }: ForgeryOptions): Promise<AttackRun> {
  const operator = createOperator(test)
  const uses = all ? allUses : someUses
  const { folder: good } = await test.context.backups.find('demo', 'latest')
  const harms: Harm[] = []
  const ended: string[] = []
  const folders: string[] = []

  async function use(forged: readonly string[], calls: readonly Call[]): Promise<void> {
    for (const call of calls) {
      const outcome: Outcome = await operator.perform(canaries.located(call))
      ended.push(outcome.code ?? 'ok')
      const found = [...deathOf(outcome), ...(await canaries.harms([outcome]))]
      trace(`${forged.join()}: ${call.action}`, [outcome], found)
      if (found.length === 0) continue
      harms.push({ operation: call.action, attacks: forged, found, outcomes: [outcome.code ?? 'ok'] })
      await canaries.restore()
    }
  }

  try {
    const { environment } = canaries.place('demo')
    for (const { name, forge } of forgeries) {
      const folder = copyBackup(good)
      folders.push(folder)
      forge(folder, environment)
      await use([name], uses(basename(folder)))
      for (const made of ['forged', 'again'])
        await operator.perform({ action: 'delete', input: { name: made, force: true, purge: true } })
      await operator.perform({ action: 'purge', input: { all: true } })
    }
    await use(['all of them'], overviews)
  } finally {
    await operator.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
  return {
    harms,
    tries: forgeries.length * (uses('').length + overviews.length),
    done: ended.filter((code) => code === 'ok').length,
    refused: ended.filter((code) => code !== 'ok').length,
  }
}

/**
 * Recovers a server in a home of its own, from a target whose backups were forged, each that of another instance.
 *
 * @returns harms, and with which results the instances were recovered
 */
export async function recoverForgeries({ test, canaries, forgeries }: ForgeryOptions): Promise<{
  readonly harms: readonly string[]
  readonly results: ReadonlySet<string>
}> {
  const { folder: good } = await test.context.backups.find('demo', 'latest')
  const [store, home] = [join(test.folder, 'store'), join(test.folder, 'home-recovered')]
  const { environment } = canaries.place('demo')
  for (const [number, { forge }] of forgeries.entries()) {
    const name = `forged${number}`
    const folder = join(store, name, basename(good))
    cpSync(good, folder, { recursive: true })
    forgeManifest(folder, (manifest) => ({ ...manifest, instance: { ...manifest.instance, id: randomId(), name } }))
    forge(folder, environment)
  }
  mkdirSync(home)
  for (const file of ['version-1.0.sh', 'hooks']) cpSync(join(test.home, file), join(home, file), { recursive: true })
  const target = ['APPS_TARGETS=nas', 'APPS_TARGET_NAS_TYPE=local', `APPS_TARGET_NAS_PATH=${store}`]
  const config = `${readFileSync(test.context.home.config, 'utf8')}${target.join('\n')}\n`
  writeFileSync(join(home, 'config.sh'), config, { mode: 0o600 })
  const operator = createOperator({ home, context: test.context })
  try {
    const outcome = await operator.perform({ action: 'recover', input: { from: 'nas' } })
    trace('recover', [outcome], [])
    const found = [...deathOf(outcome), ...(await canaries.harms([outcome]))]
    const list = await operator.perform({ action: 'list' })
    const { list: instances = [] } = list.answer as { readonly list?: readonly { readonly name: string }[] }
    for (const { name } of instances)
      await operator.perform({ action: 'delete', input: { name, force: true, purge: true } })
    if (outcome.code !== undefined) found.push(`recover ended with ${outcome.code}: ${JSON.stringify(outcome.answer)}`)
    const { list: rows = [] } = outcome.answer as { readonly list?: readonly { readonly result: string }[] }
    return { harms: found, results: new Set(rows.map(({ result }) => result)) }
  } finally {
    await operator.close()
    endAccountsOf({ home })
  }
}
