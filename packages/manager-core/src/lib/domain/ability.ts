/** What a caller must be allowed to do. */
export type Ability = 'read' | 'operate' | 'admin' | 'sensitive'

/** In the order that people read them. `read` is part of `operate`, which is part of `admin`; `sensitive` is by itself. */
export const abilities: readonly Ability[] = ['read', 'operate', 'admin', 'sensitive']

/** With those that are part of them: `operate` is `read`, `operate`. */
export function withParts(given: readonly Ability[]): ReadonlySet<Ability> {
  const steps: readonly Ability[] = ['read', 'operate', 'admin']
  const highest = Math.max(...given.map((one) => steps.indexOf(one)))
  return new Set([...steps.slice(0, highest + 1), ...(given.includes('sensitive') ? (['sensitive'] as const) : [])])
}
