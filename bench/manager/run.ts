import { parseArgs } from 'node:util'
import { describeMachine } from '../rest/machine.ts'
import { benchClone } from './clone.ts'
import type { Figure, Size } from './figure.ts'
import { benchList } from './list.ts'
import { benchMemory } from './memory.ts'
import { benchSave } from './save.ts'
import { benchStart } from './start.ts'

const benches: Readonly<Record<string, (size: Size) => Promise<readonly Figure[]>>> = {
  start: benchStart,
  list: benchList,
  memory: benchMemory,
  save: benchSave,
  clone: benchClone,
}

const help = `Usage: npm run bench:manager -- [${Object.keys(benches).join('] [')}] [--rounds <n>] [--megabytes <n>]

Measures the instances manager against doing the same by hand. bench/README.md says what is compared.
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.find((name) => !Object.hasOwn(benches, name))
if (values.help || unknown !== undefined) {
  process.stderr.write(unknown === undefined ? help : `There is no bench "${unknown}".\n${help}`)
  process.exitCode = values.help ? 0 : 2
} else {
  console.log(describeMachine())
  const size = { rounds: Number(values.rounds), megabytes: Number(values.megabytes) }
  for (const name of positionals.length > 0 ? positionals : Object.keys(benches)) {
    const bench = benches[name] as (typeof benches)[string]
    for (const figure of await bench(size)) console.log(format(figure))
  }
}

function format({ title, ours, peer, unit, atMost, atLeast }: Figure): string {
  const ratio = ours / peer
  const isMet = (atMost === undefined || ratio <= atMost) && (atLeast === undefined || ratio >= atLeast)
  const wanted = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`
  const round = (value: number) => value.toFixed(value < 100 ? 1 : 0)
  return `${title}: ${round(ours)} ${unit} to ${round(peer)} ${unit} = ${ratio.toFixed(2)} (${wanted}: ${isMet ? 'met' : 'MISSED'})`
}
