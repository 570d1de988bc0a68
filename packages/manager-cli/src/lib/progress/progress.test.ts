import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { OperationEvent } from '@steward/manager-core'
import { expect, test } from 'vitest'
import { createProgress, type ProgressOptions } from './progress.js'

function terminal(options: Partial<ProgressOptions> = {}) {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  let text = ''
  stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const progress = createProgress({ stderr, json: false, quiet: false, drawn: false, ...options })
  return { progress, text: () => stripVTControlCharacters(text), raw: () => text }
}

const planned = {
  type: 'planned',
  operation: 'o',
  title: 'Add instance "demo"',
  steps: [
    { id: 'layout', title: 'Lay it out' },
    { id: 'start', title: 'Start it' },
    { id: 'hook', title: 'Tell others' },
  ],
} as const
const step = (id: string, state: Extract<OperationEvent, { type: 'step' }>['state']) =>
  ({ type: 'step', step: id, state }) as const

test('lines show the progress of an operation where nothing can be redrawn', async () => {
  const { progress, text } = terminal()
  const { show, end } = await progress
  show({ type: 'waiting', lock: 'instance:a', holder: 'save by ann' })
  show(planned)
  show(step('layout', 'running'))
  show({ type: 'progress', step: 'layout', text: 'files', bytes: 50, of: 100 })
  show({ type: 'progress', step: 'layout', text: 'files', bytes: 51, of: 100 })
  show(step('layout', 'done'))
  show(step('start', 'running'))
  show(step('start', 'failed'))
  show(step('layout', 'undoing'))
  show(step('layout', 'undone'))
  await end(false)
  expect(text()).toBe(`Waiting for instance:a, held by save by ann …
Add instance "demo" …
  Lay it out …
    files (50%)
  Start it …
  Start it: failed
  Undoing: Lay it out …
`)
})

test('output for programs reports recovered operations only, quiet output of nothing', async () => {
  const recovering = { type: 'recovering', operation: 'o', title: 'Add instance "demo"' } as const
  for (const [options, expected] of [
    [{ json: true }, 'Repairing an interrupted operation: Add instance "demo" …\n'],
    [{ quiet: true }, ''],
  ] as const) {
    const { progress, text } = terminal(options)
    const { show, end } = await progress
    show(recovering)
    show(planned)
    await end(true)
    expect(text()).toBe(expected)
  }
})

test('a list of steps is drawn at a terminal, and ends with what happened', async () => {
  const { progress, text, raw } = terminal({ drawn: true })
  const { show, end } = await progress
  show(planned)
  show(step('layout', 'running'))
  show({ type: 'progress', step: 'layout', text: 'files\u001b[2J', bytes: 50, of: 100 })
  await expect.poll(text).toContain('files (50%)')
  for (const id of ['layout', 'start', 'hook']) {
    show(step(id, 'running'))
    show(step(id, 'done'))
  }
  await end(true)
  // After each step, how long it took.
  const took = String.raw`\[[\d.]+ m?s\]`
  expect(text().trimEnd()).toMatch(new RegExp(`✔ Lay it out ${took}\n✔ Start it ${took}\n✔ Tell others ${took}$`))
  expect(raw()).not.toContain('\u001b[2J')
})

test('a list whose step fails is drawn to its end before lines of undoing', async () => {
  const { progress, text } = terminal({ drawn: true })
  const { show, end } = await progress
  show(planned)
  show(step('layout', 'running'))
  show(step('layout', 'done'))
  show(step('start', 'running'))
  show(step('start', 'failed'))
  show(step('layout', 'undoing'))
  await end(false)
  expect(text()).toMatch(/✔ Lay it out \[.*\]\n✖ Start it\n.*Tell others\n {2}Undoing: Lay it out …\n$/)
})

test('steps that run at the same time are drawn together, each with its own end', async () => {
  const { progress, text } = terminal({ drawn: true })
  const { show, end } = await progress
  const steps = ['one', 'two', 'three', 'four'].map((id) => ({ id, title: `Save ${id}` }))
  show({ type: 'planned', operation: '', title: 'The save of 4 instances', steps, parallel: true })
  for (const id of ['one', 'two']) show(step(id, 'running'))
  show({ type: 'progress', step: 'two', text: 'Copy to nas', bytes: 50, of: 100 })
  await expect.poll(text).toContain('Copy to nas (50%)')
  show(step('one', 'failed'))
  show(step('three', 'skipped'))
  show(step('two', 'done'))
  show(step('four', 'done'))
  await end(true)
  expect(text().trimEnd()).toMatch(/✖ Save one\n✔ Save two \[.*\]\n↓ Save three.*\n✔ Save four \[.*\]$/)
})

test('several operations are drawn one after the other', async () => {
  const { progress, text } = terminal({ drawn: true })
  const { show, end } = await progress
  for (const title of ['Save "one"', 'Save "two"']) {
    show({ ...planned, title })
    for (const { id } of planned.steps) show(step(id, 'done'))
  }
  await end(true)
  expect(text().trimEnd()).toMatch(/Save "one"\n[^]*✔ Tell others \[.*\]\nSave "two"\n[^]*✔ Tell others \[.*\]$/)
})
