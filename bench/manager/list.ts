import { median, openHome, progress } from './commands.ts'
import { fill } from './fill.ts'
import type { Figure, Size } from './figure.ts'

/** The whole command `manager list` with 10,000 instances against one with 10. */
export async function benchList({ rounds }: Size): Promise<readonly Figure[]> {
  const [few, many] = [await openHome(), await openHome()]
  try {
    fill(few, 10)
    fill(many, 10_000)
    const figures: Figure[] = []
    for (const flags of [[], ['--json']]) {
      const times: Record<'few' | 'many', number[]> = { few: [], many: [] }
      for (let round = 0; round < rounds * 2; round++) {
        times.few.push(await few.manager('list', ...flags))
        times.many.push(await many.manager('list', ...flags))
      }
      progress(`list ${flags.join(' ')}: done`)
      const title = `list ${flags.join(' ')} of 10,000 instances (to: of 10)`.replace('  ', ' ')
      figures.push({ title, ours: median(times.many), peer: median(times.few), unit: 'ms', atMost: 1.5 })
    }
    return figures
  } finally {
    await few.close()
    await many.close()
  }
}
