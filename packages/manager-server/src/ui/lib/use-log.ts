import { useEffect, useRef, useState } from 'preact/hooks'
import type { LogLevel } from '@steward/manager-core/logs'
import { apiAddress } from './addresses.js'
import type { ApiFailure } from './api.js'
import { followEvents, type StreamState } from './event-stream.js'
import { readableLine, type ReadableLine } from './log-line.js'

export interface LogLine extends ReadableLine {
  /** Unique, in their order. */
  readonly id: number
}

export interface Log {
  readonly lines: readonly LogLine[]
  readonly stream: StreamState
  readonly failure: ApiFailure | undefined
  /** How many came while it was paused. */
  readonly waiting: number
}

/** Lines that are read at first. */
const firstLines = 2000
/** More are forgotten, the oldest first: a browser is no archive. */
const mostLines = 5000
/** The page is drawn that often at most, in ms. */
const drawMs = 120

/** The log of an instance as it is written, from a level on; while it is paused what is shown stays. */
export function useLog(name: string, isPaused: boolean, level: LogLevel | undefined): Log {
  const [log, setLog] = useState<Log>({ lines: [], stream: 'connecting', failure: undefined, waiting: 0 })
  const buffer = useRef<LogLine[]>([])
  const paused = useRef(isPaused)
  paused.current = isPaused

  const draw = () =>
    setLog((before) => {
      const lines = paused.current ? before.lines : [...buffer.current]
      const last = lines.at(-1)?.id ?? -1
      return { ...before, lines, waiting: paused.current ? buffer.current.filter(({ id }) => id > last).length : 0 }
    })

  useEffect(() => {
    const left = new AbortController()
    let count = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    buffer.current = []
    followEvents(apiAddress('logs', { name, follow: true, lines: firstLines, level }), {
      signal: left.signal,
      onState: (stream) => setLog((before) => ({ ...before, stream })),
      // It starts again with its last lines.
      onOpen() {
        buffer.current = []
        draw()
      },
      onEvent({ type, data }) {
        if (type !== 'line') return
        buffer.current.push({ id: count++, ...readableLine((JSON.parse(data) as { readonly line: string }).line) })
        if (buffer.current.length > mostLines) buffer.current.splice(0, buffer.current.length - mostLines)
        timer ??= setTimeout(() => {
          timer = undefined
          draw()
        }, drawMs)
      },
    }).catch((failure: ApiFailure) => {
      if (!left.signal.aborted) setLog((before) => ({ ...before, failure }))
    })
    return () => {
      left.abort()
      clearTimeout(timer)
    }
  }, [name, level])

  useEffect(() => {
    if (!isPaused) draw()
  }, [isPaused])
  return log
}
