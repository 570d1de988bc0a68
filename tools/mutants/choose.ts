import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isParsed, mutationsOf, type Mutation } from './mutations.ts'

export interface Mutant extends Mutation {
  /** From the root of the checkout. */
  readonly file: string
  readonly line: number
  /** What is replaced. */
  readonly was: string
}

export function packageOf({ file }: Pick<Mutant, 'file'>): string {
  return file.split('/')[1] ?? ''
}

/** From each package as many as its share of all places, and at least two; one of a file, so that they fit together. */
export function choose(root: string, count: number, seed: number): readonly Mutant[] {
  const random = randomOf(seed)
  const files = globSync('packages/*/src/**/*.ts', {
    cwd: root,
    exclude: (name) => /\.test\.ts$|\.d\.ts$|^testing(?:\.ts)?$|^contract$/.test(name),
  })
  const all = files.toSorted().flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const ofFile = mutationsOf(source)
    const mutation = ofFile[Math.floor(random() * ofFile.length)]
    if (!mutation) return []
    const { start, end, text } = mutation
    if (!isParsed(source.slice(0, start) + text + source.slice(end))) return []
    const line = source.slice(0, start).split('\n').length
    return [{ key: random(), size: ofFile.length, mutant: { ...mutation, file, line, was: source.slice(start, end) } }]
  })
  const total = all.reduce((sum, { size }) => sum + size, 0)
  return [...Map.groupBy(all, ({ mutant }) => packageOf(mutant)).values()].flatMap((ofPackage) => {
    const size = ofPackage.reduce((sum, one) => sum + one.size, 0)
    const share = Math.max(2, Math.round((count * size) / total))
    // Large files more often, as each of their places is as likely as others.
    const order = ofPackage.toSorted((a, b) => b.key ** (1 / b.size) - a.key ** (1 / a.size))
    return order.slice(0, share).map(({ mutant }) => mutant)
  })
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
