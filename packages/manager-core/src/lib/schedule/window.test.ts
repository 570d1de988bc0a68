import { expect, it } from 'vitest'
import { isInWindow } from './window.js'

const at = (time: string) => new Date(`2026-11-21T${time}:00`)

it.for([
  ['02:00-05:30', '02:00', true],
  ['02:00-05:30', '05:29', true],
  ['02:00-05:30', '05:30', false],
  ['02:00-05:30', '01:59', false],
  ['02:00-05:30', '23:00', false],
  ['22:00-05:30', '22:00', true],
  ['22:00-05:30', '23:59', true],
  ['22:00-05:30', '00:00', true],
  ['22:00-05:30', '05:29', true],
  ['22:00-05:30', '05:30', false],
  ['22:00-05:30', '12:00', false],
  ['22:00-00:00', '23:59', true],
  ['22:00-00:00', '00:00', false],
  ['00:00-00:01', '00:00', true],
] as const)('isInWindow() of %s at %s is %s', ([window, time, expected]) => {
  const [from = '', to = ''] = window.split('-')
  expect(isInWindow(at(time), { from, to })).toBe(expected)
})

it('isInWindow() without a window is always', () => {
  expect(isInWindow(at('12:00'), undefined)).toBe(true)
})
