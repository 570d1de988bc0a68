import { describe, expect, it } from 'vitest'
import type { Incident } from '../domain/incident.js'
import type { Sample } from '../domain/sample.js'
import { judge, type Evidence } from './judge.js'
import { continueStreaks, type Streak } from './streaks.js'

const began = '2026-11-21T12:00:00.000Z'
const now = '2026-11-21T12:05:00.000Z'

/** Reasons of checks of `a`, empty ones went well. */
function streakOf(...reasons: readonly string[]): ReadonlyMap<string, Streak> {
  let streaks: ReadonlyMap<string, Streak> = new Map()
  for (const reason of reasons) {
    const ok = ['', 'slow'].includes(reason)
    const rest = { at: 0, responseMs: 1, memoryMb: null, cpuPercent: null, diskMb: null }
    streaks = continueStreaks(streaks, [{ instanceId: 'a', ok, reason, ...rest } satisfies Sample])
  }
  return streaks
}

function incident(reason: string): Incident {
  const fallen = { id: 'a', name: 'demo', reason, opened: began, closed: '' }
  return { id: 1, opened: began, closed: '', message: 'It fell', told: 'opened', instances: [fallen] }
}

function judged(streaks: ReadonlyMap<string, Streak>, more: Partial<Evidence> = {}) {
  return judge({ incidents: [], streaks, names: new Map([['a', 'demo']]), now, after: 2, ...more })
}

describe('judge()', () => {
  it('lets an instance fall after that many checks in a row, once', () => {
    expect(judged(streakOf('unreachable')).fallen).toEqual([])
    expect(judged(streakOf('unreachable', '', 'unreachable')).fallen).toEqual([])
    const { fallen, changes } = judged(streakOf('unreachable', 'http-502'))
    expect(fallen).toEqual([{ id: 'a', name: 'demo', reason: 'http-502', opened: now, closed: '' }])
    expect(changes).toEqual([{ id: 'a', name: 'demo', reason: 'http-502' }])
    const later = judged(streakOf('unreachable', 'http-502', 'status-KO'), { incidents: [incident('http-502')] })
    expect(later).toMatchObject({ fallen: [], changes: [], incidents: [{ instances: [{ reason: 'status-KO' }] }] })
  })

  it('lets it recover after as many', () => {
    const incidents = [incident('unreachable')]
    expect(judged(streakOf('unreachable', ''), { incidents }).incidents).toEqual(incidents)
    const { incidents: left, changes } = judged(streakOf('unreachable', '', ''), { incidents })
    expect(changes).toEqual([{ id: 'a', name: 'demo', reason: 'recovered' }])
    expect(left).toMatchObject([
      { closed: now, message: 'It fell; resolved after 5 min', instances: [{ closed: now }] },
    ])
  })

  it('lets one that was slow fall once more when it fails, into another incident', () => {
    const { fallen, incidents } = judged(streakOf('slow', 'slow', 'unreachable', 'unreachable'), {
      incidents: [incident('slow')],
    })
    expect(fallen).toMatchObject([{ reason: 'unreachable' }])
    expect(incidents).toMatchObject([{ closed: now, told: 'closed' }])
    expect(
      judged(streakOf('unreachable', 'unreachable', 'slow', 'slow'), { incidents: [incident('unreachable')] }),
    ).toMatchObject({
      fallen: [],
      incidents: [{ closed: '' }],
    })
  })

  it('lets one that was stopped or deleted leave, and waits for one that an operation is at', () => {
    const incidents = [incident('unreachable')]
    expect(judged(new Map(), { incidents }).incidents).toEqual(incidents)
    const { incidents: left, changes } = judged(new Map(), { incidents, names: new Map() })
    expect(changes).toEqual([])
    expect(left).toMatchObject([
      { closed: now, message: 'It fell; closed after 5 min, because it was stopped or deleted' },
    ])
  })
})
