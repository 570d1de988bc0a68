import { useEffect, useState } from 'preact/hooks'
import type { WireSample } from '@steward/manager-core'
import { api, type ApiFailure } from './api.js'
import { isConnected } from './connection.js'

export interface SamplesOf {
  readonly name: string
  readonly samples: readonly WireSample[]
}

export interface SamplesState {
  /** undefined: not there yet. */
  readonly series: readonly SamplesOf[] | undefined
  readonly failure: ApiFailure | undefined
}

/** Between two looks: a pixel of a chart does not change faster. */
const refreshMs = 30_000

/**
 * The samples of several instances, newest last, looked for again and again.
 *
 * @param rangeMs up to now
 */
export function useSamples(names: readonly string[], rangeMs: number, points: number): SamplesState {
  const [state, setState] = useState<SamplesState>({ series: undefined, failure: undefined })
  useEffect(() => {
    const left = new AbortController()
    const load = () => {
      if (document.visibilityState === 'hidden' || !isConnected.get()) return
      const since = new Date(Date.now() - rangeMs).toISOString()
      Promise.all(names.map((name) => samplesOf(name, { since, points, signal: left.signal }))).then(
        (series) => setState({ series, failure: undefined }),
        (failure: ApiFailure) => {
          if (!left.signal.aborted) setState(({ series }) => ({ series, failure }))
        },
      )
    }
    load()
    const timer = setInterval(load, refreshMs)
    const unsubscribe = isConnected.subscribe(load)
    return () => {
      left.abort()
      clearInterval(timer)
      unsubscribe()
    }
  }, [names.join(), rangeMs, points])
  return state
}

interface Question {
  readonly since: string
  readonly points: number
  readonly signal?: AbortSignal
}

async function samplesOf(name: string, { since, points, signal }: Question): Promise<SamplesOf> {
  const { list } = await api<{ readonly list: readonly WireSample[] }>('samples', { name, since, points }, { signal })
  return { name, samples: list }
}

const hourMs = 3_600_000
/** Not asked for again for this long. */
const keptMs = 60_000
const kept = new Map<string, { readonly at: number; readonly samples: Promise<readonly WireSample[]> }>()
/** Requests at the same time; rows come into sight by the dozen. */
const parallel = 3
const waiting: (() => void)[] = []
let running = 0

/** The last hour of an instance, for a small picture; undefined: not there yet. */
export function useLastHour(name: string): readonly WireSample[] | undefined {
  const [samples, setSamples] = useState<readonly WireSample[]>()
  useEffect(() => {
    let left = false
    lastHour(name).then(
      (list) => left || setSamples(list),
      () => {},
    )
    return () => {
      left = true
    }
  }, [name])
  return samples
}

function lastHour(name: string): Promise<readonly WireSample[]> {
  const found = kept.get(name)
  if (found && Date.now() - found.at < keptMs) return found.samples
  const since = new Date(Date.now() - hourMs).toISOString()
  const samples = inTurn(() => samplesOf(name, { since, points: 40 })).then(({ samples: list }) => list)
  kept.set(name, { at: Date.now(), samples })
  samples.catch(() => kept.delete(name))
  return samples
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= parallel) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}
