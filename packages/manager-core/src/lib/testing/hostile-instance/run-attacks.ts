import { appendFileSync } from 'node:fs'
import type { TestManager } from '../create-test-manager.js'
import type { Attack } from './attack.js'
import type { Canaries } from './canaries.js'
import { createOperator, type Operator } from './operating.js'
import type { Operation } from './operations.js'
import type { Outcome } from './operator.js'
import { act, plant, resumeAll } from './run-as.js'

/** An operation that one attack or several harmed. */
export interface Harm {
  readonly operation: string
  readonly attacks: readonly string[]
  readonly found: readonly string[]
  /** How each call ended: `ok`, or its code. */
  readonly outcomes: readonly string[]
}

export interface AttackRun {
  readonly harms: readonly Harm[]
  /** Attacks by operations. */
  readonly tries: number
  /** How many calls did what they were asked for, and how many were refused or failed. */
  readonly done: number
  readonly refused: number
}

export interface AttackOptions {
  readonly test: TestManager
  readonly canaries: Canaries
  readonly operations: readonly Operation[]
  /** Planted at the same time. */
  readonly attacks: readonly Attack[]
}

/** Runs each operation on an instance `demo` in which all these attacks are planted again each time. */
export async function runAttacks({ test, canaries, operations, attacks }: AttackOptions): Promise<AttackRun> {
  const operator = createOperator(test)
  const harms: Harm[] = []
  const ended: string[] = []
  try {
    for (const operation of operations) {
      await prepare(test)
      await operation.before?.(test, 'demo')
      const place = canaries.place('demo')
      await plant(attacks, place)
      const stop = await act(attacks, place)
      const outcomes: Outcome[] = []
      try {
        for (const call of operation.calls('demo')) outcomes.push(await operator.perform(canaries.located(call)))
      } finally {
        await stop()
        await resumeAll(place)
      }
      const found = [...outcomes.flatMap(deathOf), ...(await canaries.harms(outcomes))]
      const codes = outcomes.map(({ code }) => code ?? 'ok')
      ended.push(...codes)
      trace(operation.name, outcomes, found)
      if (found.length > 0) {
        harms.push({ operation: operation.name, attacks: attacks.map(({ name }) => name), found, outcomes: codes })
        await canaries.restore()
      }
      await clear(test, operator, operation)
    }
  } finally {
    await operator.close()
  }
  return {
    harms,
    tries: attacks.length * operations.length,
    done: ended.filter((code) => code === 'ok').length,
    refused: ended.filter((code) => code !== 'ok').length,
  }
}

/** Whether the manager itself is harmed. */
export function deathOf({ code, answer }: Outcome): readonly string[] {
  if (code === 'ERR_HANGS') return ['the manager does not answer']
  return code === 'ERR_DIED' ? [`the manager died: ${JSON.stringify(answer)}`] : []
}

/** For who looks for the reason: writes what each operation came to into the file `HOSTILE_TRACE`. */
export function trace(name: string, outcomes: readonly Outcome[], found: readonly string[]): void {
  const file = process.env['HOSTILE_TRACE']
  if (file === undefined) return
  const shown = outcomes.map(({ code, answer }) =>
    code === undefined ? 'ok' : `${code} ${JSON.stringify(answer).slice(0, 300)}`,
  )
  appendFileSync(file, `${name}: ${shown.join(' | ')}\n${found.map((each) => `    HARM ${each}\n`).join('')}`)
}

/** An instance `demo` that runs and has a backup. */
async function prepare(test: TestManager): Promise<void> {
  const { registry } = test.context
  if (registry.find('demo')) return
  await test.perform('add', { name: 'demo' })
  await test.perform('save', { name: 'demo' })
}

/** An instance that an attack has left broken is replaced by another one. */
async function clear(
  test: TestManager,
  operator: Operator,
  { after = [], afterwards, ends }: Operation,
): Promise<void> {
  for (const call of after) await operator.perform(call)
  await afterwards?.(test)
  const { registry } = test.context
  const demo = registry.find('demo')
  if (!demo) return
  const { data } = await test.perform('health', { name: 'demo' }).catch(() => ({ data: undefined }))
  if (ends === undefined && data?.['status'] === 'OK') return
  for (const name of ['demo', 'renamed'])
    if (registry.find(name)) await operator.perform({ action: 'delete', input: { name, force: true, purge: true } })
}
