import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Answer } from './answer.js'
import { api, type ApiFailure } from './api.js'
import type { ApiParameters } from './addresses.js'
import { changes } from './changes.js'
import { isConnected } from './connection.js'

export interface ApiState<T> {
  /** The last good answer; it stays while another one is asked for. */
  readonly data: (Answer & T) | undefined
  /** Failure of the last request; while there is an older answer, not that the server could not be reached. */
  readonly failure: ApiFailure | undefined
  readonly loading: boolean
  readonly reload: () => void
}

export interface UseApiOptions {
  /** Asks again after this many ms. Default: never. */
  readonly refreshMs?: number
  /** The answer to another question stays until there is the one to this. Default: no. */
  readonly keep?: boolean
}

/**
 * Asks the API when the view is shown, when the question changes, when an action of this page has ended, when the server
 * answers again after it did not, and every `refreshMs` while the page is visible and the server answers.
 *
 * @param action undefined: nothing is asked
 */
export function useApi<T extends object>(
  action: string | undefined,
  parameters: ApiParameters = {},
  { refreshMs, keep = false }: UseApiOptions = {},
): ApiState<T> {
  const [state, setState] = useState<Omit<ApiState<T>, 'reload'>>({
    data: undefined,
    failure: undefined,
    loading: true,
  })
  const [turn, setTurn] = useState(0)
  const key = JSON.stringify([action, parameters])
  const keyOfData = useRef('')
  const keyOfQuestion = useRef('')
  const isAsking = useRef(false)
  const reload = useCallback(() => setTurn((count) => count + 1), [])

  useEffect(() => {
    if (action === undefined) return
    const ended = new AbortController()
    const isSame = keyOfQuestion.current === key
    keyOfQuestion.current = key
    isAsking.current = true
    setState(({ data, failure }) => ({
      data: keep || keyOfData.current === key ? data : undefined,
      failure: isSame ? failure : undefined,
      loading: true,
    }))
    api<T>(action, parameters, { signal: ended.signal }).then(
      (data) => {
        keyOfData.current = key
        isAsking.current = false
        setState({ data, failure: undefined, loading: false })
      },
      (failure: ApiFailure) => {
        if (ended.signal.aborted) return
        isAsking.current = false
        // The frame says that there is no connection; what is shown stays as it is.
        setState(({ data }) => ({ data, failure: data && failure.status === 0 ? undefined : failure, loading: false }))
      },
    )
    return () => ended.abort()
  }, [key, turn])

  useEffect(() => isConnected.subscribe(() => isConnected.get() && reload()), [reload])
  useEffect(() => changes.subscribe(reload), [reload])

  useEffect(() => {
    if (refreshMs === undefined) return
    const refresh = () => {
      // A server that is slower than that is not asked once more meanwhile.
      if (document.visibilityState === 'visible' && isConnected.get() && !isAsking.current) reload()
    }
    const timer = setInterval(refresh, refreshMs)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [refreshMs, reload])

  return { ...state, reload }
}
