import type { OperationEvent, StepTitle } from '@steward/manager-core'
import { printable } from '../output/text.js'

/** How often a long step says how far it is, in ms. */
const everyMs = 5_000

/** Shows on the standard error how operations go. */
export interface Progress {
  show(event: OperationEvent): void
  /** The last operation is over, well or not; what follows is printed below it. */
  end(ok: boolean): Promise<void>
}

export interface PlainProgress extends Progress {
  /** Titles of steps that others show. */
  name(steps: readonly StepTitle[]): void
}

/** A line per event, for log files and pipes. */
export function createPlainProgress(print: (line: string) => void): PlainProgress {
  let titles = new Map<string, string>()
  const titleOf = (step: string) => titles.get(step) ?? step
  const say = (text: string) => print(printable(text))
  let last = Number.NEGATIVE_INFINITY

  const name = (steps: readonly StepTitle[]) => {
    titles = new Map(steps.map(({ id, title }) => [id, title]))
  }

  return {
    name,
    show(event: OperationEvent) {
      switch (event.type) {
        case 'planned':
          name(event.steps)
          return say(`${event.title} …`)
        case 'recovering':
          name([])
          return say(`Repairing an interrupted operation: ${event.title} …`)
        case 'waiting':
          return say(`Waiting for ${event.lock}, held by ${event.holder} …`)
        case 'step':
          last = Number.NEGATIVE_INFINITY
          if (event.state === 'running') say(`  ${titleOf(event.step)} …`)
          if (event.state === 'failed') say(`  ${titleOf(event.step)}: failed`)
          if (event.state === 'undoing') say(`  Undoing: ${titleOf(event.step)} …`)
          return
        case 'progress':
          if (performance.now() - last < everyMs) return
          last = performance.now()
          return say(`    ${event.text}${shareOf(event)}`)
        case 'warning':
          // They are printed with the result.
          return
      }
    },
    async end() {},
  }
}

/** ` (45%)` when it is known. */
export function shareOf({ bytes, of }: { readonly bytes?: number; readonly of?: number }): string {
  return bytes === undefined || !of ? '' : ` (${Math.min(100, Math.floor((100 * bytes) / of))}%)`
}
