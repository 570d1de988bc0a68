import { useRef, useState } from 'preact/hooks'
import type { BuiltRequest } from './build-request.js'
import { contentOf } from './content.js'
import type { Content } from './content.js'
import { t } from './i18n.js'
import { send } from './send.js'
import type { Answer } from './send.js'
import type { Session } from './session.js'

/** An answer that was read. */
export interface Exchange {
  readonly answer: Answer
  readonly content: Content
}

export interface ExchangeState {
  /** The last answer; a request without an answer leaves none. */
  readonly exchange: Exchange | undefined
  /** Why there is no answer. */
  readonly problem: string
  readonly running: boolean
  /** Bytes that came so far. */
  readonly received: number
  run(request: BuiltRequest): Promise<Exchange | undefined>
  cancel(): void
}

/** Sends one request at a time. */
export function useExchange(session: Session): ExchangeState {
  const [exchange, setExchange] = useState<Exchange>()
  const [problem, setProblem] = useState('')
  const [received, setReceived] = useState(0)
  const [running, setRunning] = useState(false)
  const controller = useRef<AbortController>(null)

  async function run(request: BuiltRequest): Promise<Exchange | undefined> {
    if (controller.current) return undefined
    const current = (controller.current = new AbortController())
    setRunning(true)
    setReceived(0)
    setProblem('')
    try {
      const answer = await send(request, session, current.signal, setReceived)
      const result = { answer, content: contentOf(answer) }
      setExchange(result)
      return result
    } catch (error) {
      setExchange(undefined)
      setProblem(
        current.signal.aborted ? t('answer.cancelled') : t('answer.unreachable', { problem: (error as Error).message }),
      )
      return undefined
    } finally {
      controller.current = null
      setRunning(false)
    }
  }

  return { exchange, problem, running, received, run, cancel: () => controller.current?.abort() }
}
