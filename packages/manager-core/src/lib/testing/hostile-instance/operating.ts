import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundledManager } from '../bundled-manager.js'
import type { TestManager } from '../create-test-manager.js'
import type { Call, OperatorOptions, Outcome } from './operator.js'

/** Only what hangs takes that long, in ms. */
const patience = Number(process.env['HOSTILE_PATIENCE'] ?? 300_000)

/** A manager in a process of its own. */
export interface Operator {
  /** @returns `ERR_HANGS` and `ERR_DIED` for a manager that does not answer and for one that is gone */
  perform(call: Call): Promise<Outcome>
  close(): Promise<void>
}

export function createOperator({ home, context }: Pick<TestManager, 'home' | 'context'>): Operator {
  let running: ChildProcess | undefined

  async function started(): Promise<ChildProcess> {
    if (running) return running
    const { operator } = await bundledManager()
    const options: OperatorOptions = {
      home,
      applicationServer: context.applicationServer,
      defaultTemplate: context.defaultTemplate,
    }
    const child = fork(operator, [JSON.stringify(options)], {
      // What an instance sends is not kept in memory.
      execArgv: ['--max-old-space-size=256'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    await once(child, 'message')
    return (running = child)
  }

  async function close(): Promise<void> {
    const child = running
    running = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }

  return {
    async perform(call) {
      const child = await started()
      const end = new AbortController()
      const { signal } = end
      const answered = once(child, 'message', { signal }).then(([outcome]) => outcome as Outcome)
      const died = once(child, 'exit', { signal }).then(([code, by]): Outcome => {
        running = undefined
        return { code: 'ERR_DIED', answer: [code, by] }
      })
      const hangs = sleep(patience, undefined, { signal }).then((): Outcome => ({ code: 'ERR_HANGS', answer: [] }))
      try {
        child.send(call)
        const outcome = await Promise.race([answered, died, hangs])
        if (outcome.code === 'ERR_HANGS') await close()
        return outcome
      } finally {
        for (const each of [answered, died, hangs]) each.catch(() => undefined)
        end.abort()
      }
    },
    close,
  }
}
