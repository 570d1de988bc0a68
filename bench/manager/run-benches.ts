import { parseArgs } from 'node:util'
import { describeMachine } from '../rest/machine.ts'
import type { Figure, Size } from './figure.ts'

export interface Benches {
  /** The script of package.json. */
  readonly script: string
  /** What it measures, one sentence. */
  readonly about: string
  /** In the order in which they run. */
  readonly benches: Readonly<Record<string, (size: Size) => Promise<readonly Figure[]>>>
  /** Default: 1000. */
  readonly megabytes?: number
}

/** Runs those that the command line names, by default all, and prints a line for each figure. */
export async function runBenches({ script, about, benches, megabytes = 1000 }: Benches): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      megabytes: { type: 'string', default: String(megabytes) },
      instances: { type: 'string', default: '1000' },
      help: { type: 'boolean', default: false },
    },
  })
  const names = Object.keys(benches)
  const help = `Usage: npm run ${script} -- [${names.join('] [')}] [--rounds <n>] [--megabytes <n>] [--instances <n>]

${about} bench/README.md says what is compared.
`
  const unknown = positionals.find((name) => !Object.hasOwn(benches, name))
  if (values.help || unknown !== undefined) {
    process.stderr.write(unknown === undefined ? help : `There is no bench "${unknown}".\n${help}`)
    process.exitCode = values.help ? 0 : 2
    return
  }
  console.log(describeMachine())
  const size = {
    rounds: Number(values.rounds),
    megabytes: Number(values.megabytes),
    instances: Number(values.instances),
  }
  for (const name of positionals.length > 0 ? positionals : names) {
    const figures = await benches[name]?.(size)
    for (const figure of figures ?? []) console.log(format(figure))
  }
}

function format({ title, ours, peer, unit, atMost, atLeast, enough, noMore }: Figure): string {
  const ratio = ours / peer
  const isEnough = enough !== undefined && ours >= enough
  const isMet =
    isEnough ||
    ((atMost === undefined || ratio <= atMost) &&
      (atLeast === undefined || ratio >= atLeast) &&
      (noMore === undefined || ours <= noMore))
  const asked = atMost !== undefined ? `≤ ${atMost}` : atLeast !== undefined ? `≥ ${atLeast}` : `≤ ${noMore} ${unit}`
  const wanted = asked + (enough ? `, or ≥ ${enough} ${unit}` : '')
  const round = (value: number) => value.toFixed(value < 100 ? 1 : 0)
  return `${title}: ${round(ours)} ${unit} to ${round(peer)} ${unit} = ${ratio.toFixed(2)} (${wanted}: ${isMet ? 'met' : 'MISSED'})`
}
