import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../domain/json.js'
import { healthPlace } from '../application/health-place.js'
import { checkHealth } from '../runtime/health.js'
import { cgroupOf } from '../runtime/limits/confine.js'
import type { LimitInForce } from '../runtime/limits/limits.js'
import { createTestManager } from './create-test-manager.js'

/** What hostile applications do in a program of its own, see `hostile-application-server.mjs`. */
export interface Harms {
  readonly harms: readonly string[]
  /** Lines of `config.sh`, with the limits. */
  readonly config: readonly string[]
}

/** Input of the program, as JSON in its one argument. */
export interface HarmRun extends Harms {
  /** Path of `hostile-application-server.mjs`. */
  readonly applicationServer: string
  /** File for the report. */
  readonly output: string
}

/** What came of it. */
export interface HarmReport {
  /** What the runtime reports about limits here. */
  readonly howLimited: string
  readonly results: readonly HarmResult[]
  /** The cgroup of the one that did harm; undefined: it had none. */
  readonly cgroup: string | undefined
  /** Whether it is there after the stop. */
  readonly isLeft: boolean
}

export interface HarmResult {
  readonly harm: string
  /** `ended` once more than before, or what the application printed. */
  readonly came: string
  readonly reason?: string | undefined
  readonly limits: readonly LimitInForce[]
  /** What `get` said about the instance that did no harm, meanwhile, and how often it answered itself. */
  readonly other: string
  readonly answers: number
  /** What `app-status` says. */
  readonly status: Json | undefined
  /** The supervisor's line in the log. */
  readonly told: string
}

/** For those that do not end the application: what shows that they reached the limit. */
const shown: Readonly<Record<string, string>> = { children: 'child ended SIGKILL', forks: 'no more forks 2' }

const enoughAnswers = 5
const enoughPauses = 5

const { harms, config, applicationServer, output } = JSON.parse(process.argv[2] ?? '') as HarmRun
const test = await createTestManager({ applicationServer, config })
const runtime = test.context.runtimes.named('process')
for (const name of ['bad', 'good']) await test.perform('add', { name })
const ref = { id: test.instance('bad').id, folder: test.path('bad') }
const results: HarmResult[] = []
for (const harm of harms) results.push(await doHarm(harm))
const cgroup = cgroupOf(test.path('bad', 'run'))
await test.perform('stop', { name: 'bad' })
const howLimited = runtime.howLimited?.() ?? ''
const isLeft = cgroup !== undefined && existsSync(cgroup)
await test.close()
writeFileSync(output, JSON.stringify({ howLimited, results, cgroup, isLeft } satisfies HarmReport))

async function doHarm(harm: string): Promise<HarmResult> {
  await until(async () => (await checkHealth(healthPlace(test.context, test.instance('bad')))).ok)
  const { restarts } = await runtime.observe(ref)
  const from = test.log('bad').length
  const log = () => test.log('bad').slice(from)
  writeFileSync(test.path('bad', 'app', 'harm'), harm)
  let came = ''
  await until(async () => {
    const now = await runtime.observe(ref)
    const text = shown[harm]
    const throttled = now.limits?.find(({ name }) => name === 'cpu')?.reached ?? 0
    if (harm === 'cpu' ? throttled >= enoughPauses : text !== undefined && log().includes(text)) came = harm
    else if (text === undefined && now.restarts > restarts) came = 'ended'
    return came !== ''
  })
  let answers = 0
  for (let number = 0; number < enoughAnswers; number++)
    if ((await checkHealth(healthPlace(test.context, test.instance('good')))).ok) answers++
  const { message } = await test.perform('get', { name: 'good' })
  const { limits = [], lastExit } = await runtime.observe(ref)
  const { item } = await test.perform('app-status', { name: 'bad' })
  const told =
    log()
      .split('\n')
      .findLast((line) => line.includes(' steward: ')) ?? ''
  return { harm, came, reason: lastExit?.reason, limits, other: message ?? '', answers, status: item, told }
}

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await sleep(100)
}
