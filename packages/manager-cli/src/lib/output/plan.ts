import type { PlannedOperation } from '@steward/manager-core'
import { printable } from './text.js'

/** A dry run for people. */
export function plan({ title, steps, notes }: PlannedOperation): string {
  const lines = steps.flatMap(({ title: step, pointOfNoReturn }, at) => [
    ...(pointOfNoReturn ? ['     -- from here on nothing is undone any more --'] : []),
    `${String(at + 1).padStart(4)} ${step}`,
  ])
  return [`${title}. Nothing was changed; these would be the steps:`, ...lines, ...notes.map((note) => `Note: ${note}`)]
    .map((line) => `${printable(line)}\n`)
    .join('')
}
