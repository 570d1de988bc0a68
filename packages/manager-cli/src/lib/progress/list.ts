import { styleText } from 'node:util'
import { durationText, type OperationEvent } from '@steward/manager-core'
import { DefaultRenderer, Listr, ListrLogger, type ListrDefaultRendererLogLevels, ProcessOutput } from 'listr2'
import { printable } from '../output/text.js'
import type { Surroundings } from '../surroundings.js'
import { shareOf, type PlainProgress, type Progress } from './plain.js'

/** It is asked for when the standard error is a terminal; listr2 would look at the standard output. */
class OnStderr extends DefaultRenderer {
  static override nonTTY = true
}

/** How long a step took, after its title: `[1.2 s]`. */
const timer: (typeof DefaultRenderer.rendererOptions)['timer'] = {
  condition: true,
  field: durationText,
  format:
    () =>
    (text = '') =>
      styleText('dim', text, { validateStream: false }),
}

/** One step of the list: settled by the operation's events. */
interface Row {
  readonly settled: PromiseWithResolvers<void>
  /** What is shown below it. */
  output: string
  /** Draws it again. */
  draw(): void
  /** Draws it as one that was not started. */
  skip(): void
}

/** A list of steps that is drawn again while they continue, for a terminal. What has no place in it is a line of its own. */
export function createListProgress(stderr: Surroundings['stderr'], plain: PlainProgress): Progress {
  const terminal = stderr as NodeJS.WriteStream
  // The renderer writes to the "stdout" of its logger, which is for results.
  const processOutput = new ProcessOutput(terminal, terminal, { leaveEmptyLine: false })
  const logger = new ListrLogger<ListrDefaultRendererLogLevels>({ processOutput, useIcons: true, toStderr: [] })
  let rows = new Map<string, Row>()
  let isParallel = false
  /** The list before is drawn to its end before anything else is printed. */
  let drawn = Promise.resolve()
  const later = (work: () => void) => {
    drawn = drawn.then(work)
  }

  function open({ title, steps, parallel = false }: Extract<OperationEvent, { type: 'planned' }>): void {
    const opened = new Map(
      steps.map(({ id }): [string, Row] => {
        const settled = Promise.withResolvers<void>()
        // It may fail before the result is awaited.
        settled.promise.catch(() => {})
        return [id, { settled, output: '', draw() {}, skip() {} }]
      }),
    )
    const list = new Listr(
      steps.map(({ id, title: step }) => ({
        title: printable(step),
        task: (_, task) => {
          const row = opened.get(id) as Row
          row.draw = () => (task.output = row.output)
          row.skip = () => task.skip()
          row.draw()
          return row.settled.promise
        },
      })),
      {
        registerSignalListeners: false,
        concurrent: parallel,
        exitOnError: !parallel,
        rendererOptions: { logger, timer, collapseErrors: false, showErrorMessage: false },
        renderer: OnStderr,
        fallbackRendererCondition: false,
      },
    )
    rows = opened
    isParallel = parallel
    later(() => void stderr.write(`${printable(title)}\n`))
    // What failed is reported with the result.
    drawn = drawn.then(() => list.run().catch(() => {}))
  }

  function close(ok: boolean): void {
    for (const { settled } of rows.values()) {
      if (ok) settled.resolve()
      else settled.reject(new Error('stopped'))
    }
    rows = new Map()
  }

  return {
    show(event) {
      if (event.type === 'planned') {
        close(true)
        plain.name(event.steps)
        return open(event)
      }
      const row = 'step' in event ? rows.get(event.step) : undefined
      if (event.type === 'progress' && row) {
        row.output = printable(event.text) + shareOf(event)
        return row.draw()
      }
      if (event.type === 'step' && row && event.state === 'running') return
      if (event.type === 'step' && row && event.state === 'done') return row.settled.resolve()
      if (event.type === 'step' && row && event.state === 'skipped') {
        row.skip()
        return row.settled.resolve()
      }
      if (event.type === 'step' && row && isParallel && event.state === 'failed')
        return row.settled.reject(new Error('failed'))
      if (event.type === 'step' && event.state === 'failed') return close(false)
      later(() => plain.show(event))
    },
    async end(ok) {
      close(ok)
      await drawn
    },
  }
}
