import { RestClientError } from '@steward/rest-client'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { useSession } from './session.js'

export interface Asked<T> {
  /** The last good answer to this question. */
  readonly data: T | undefined
  readonly failure: unknown
  readonly reload: () => void
}

/**
 * Asks when the view is shown and when the question changes.
 *
 * @param question what distinguishes this one from others
 */
export function useAsked<T>(question: string, ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const [state, setState] = useState<{ question: string; data?: T; failure?: unknown }>({ question })
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((count) => count + 1), [])
  useEffect(() => {
    const ended = new AbortController()
    ask(ended.signal).then(
      (data) => ended.signal.aborted || setState({ question, data }),
      (failure: unknown) => ended.signal.aborted || setState({ question, failure }),
    )
    return () => ended.abort()
  }, [question, turn])
  useRetry(state.failure, reload)
  return state.question === question
    ? { data: state.data, failure: state.failure, reload }
    : { data: undefined, failure: undefined, reload }
}

/** What failed because the session had ended, or without a connection, is asked again when there is another one. */
export function useRetry(failure: unknown, reload: () => void): void {
  const session = useSession()
  useEffect(() => {
    if (!RestClientError.is(failure) || failure.status !== 0) return
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [failure])
  useEffect(() => {
    if (session.kind === 'in' && RestClientError.is(failure) && failure.status === 401) reload()
  }, [session])
}
