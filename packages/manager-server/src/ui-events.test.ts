import type { OperationEvent } from '@steward/manager-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventParser } from './ui/lib/event-parser.js'
import { afterEvent, afterResult, hasEnded, type Operation } from './ui/lib/operation.js'

describe('events of a stream', () => {
  it('are the same wherever the stream was cut', () => {
    const text =
      'id: 1\nevent: operation\ndata: {"a":1}\n\n:\n\ndata: x\r\ndata: y\r\n\r\nid:7\revent: line\rdata:é: z\r\r\n'
    const whole = createEventParser()(text)
    expect(whole).toEqual([
      { id: '1', type: 'operation', data: '{"a":1}' },
      { id: '1', type: 'message', data: 'x\ny' },
      { id: '7', type: 'line', data: 'é: z' },
    ])
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const parse = createEventParser()
        const ends = [...cuts.toSorted((a, b) => a - b), text.length]
        expect(ends.flatMap((end, at) => parse(text.slice(ends[at - 1] ?? 0, end)))).toEqual(whole)
      }),
    )
  })
})

describe('an operation after events', () => {
  const queued: Operation = {
    id: 'o',
    action: 'upgrade',
    title: 'upgrade "demo"',
    instance: 'demo',
    state: 'queued',
    actor: 'ann',
    started: '2026-11-21T22:00:00.000Z',
    ended: '',
    steps: [],
    message: '',
    warnings: [],
  }
  const after = (...events: readonly OperationEvent[]) => events.reduce(afterEvent, queued)
  const planned: OperationEvent = {
    type: 'planned',
    operation: 'o',
    title: 'Upgrade "demo"',
    steps: [
      { id: 'stop', title: 'Stop it' },
      { id: 'start', title: 'Start it' },
    ],
  }

  it('has the steps of its plan, and their states and progress', () => {
    const { title, state, steps } = after(
      { type: 'waiting', lock: 'instance:1', holder: 'save by bob' },
      planned,
      { type: 'step', step: 'stop', state: 'done' },
      { type: 'step', step: 'start', state: 'running' },
      { type: 'progress', step: 'start', text: 'Copy', bytes: 5, of: 10 },
    )
    expect({ title, state }).toEqual({ title: 'Upgrade "demo"', state: 'running' })
    expect(steps).toEqual([
      { id: 'stop', title: 'Stop it', state: 'done' },
      { id: 'start', title: 'Start it', state: 'running', progress: { text: 'Copy', bytes: 5, of: 10 } },
    ])
  })

  it('is being undone until its result is there, which says how it ended', () => {
    const undoing = after(
      planned,
      { type: 'step', step: 'start', state: 'failed' },
      { type: 'step', step: 'stop', state: 'undoing' },
      { type: 'step', step: 'stop', state: 'undone' },
      { type: 'warning', text: 'Look at its log.' },
    )
    expect(undoing).toMatchObject({ state: 'undoing', warnings: ['Look at its log.'] })
    expect(hasEnded(undoing)).toBe(false)
    const endOf = (code?: string) => afterResult(undoing, { message: 'm', ...(code !== undefined && { code }) }).state
    expect([endOf(), endOf('ERR_ROLLED_BACK'), endOf('ERR_ATTENTION'), endOf('ERR_BUSY')]).toEqual([
      'succeeded',
      'rolled_back',
      'attention',
      'failed',
    ])
  })
})
