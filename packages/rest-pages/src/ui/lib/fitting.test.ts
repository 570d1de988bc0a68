import { expect, it } from 'vitest'
import { fitting } from './fitting.js'

const widths = [100, 100, 100, 100, 150]

it.each<[string, number, number | undefined, number[]]>([
  ['all, when there is room', 550, undefined, [0, 1, 2, 3, 4]],
  ['the first ones beside the button', 450, undefined, [0, 1, 2]],
  ['the current one, too', 450, 4, [0, 1, 4]],
  ['the current one, which is among the first', 450, 1, [0, 1, 2]],
  ['the current one alone', 120, 2, [2]],
  ['nothing, in no room', 0, undefined, []],
])('fitting() gives %s', (_, room, current, places) => {
  expect([...fitting(widths, { room, more: 100 }, current)]).toEqual(places)
})
