import { expect, it } from 'vitest'
import { readSettings } from './settings.js'

const page = 'https://host.example/api/tester/?object=Book#top'
const body = (dataset: Record<string, string>) => ({ dataset }) as unknown as HTMLElement

it('readSettings() makes addresses absolute, and that of logging out beside that of logging in', () => {
  expect(readSettings(body({ title: 'Books', rest: '../v1/', login: '../login', level: '6' }), page)).toEqual({
    title: 'Books',
    rest: 'https://host.example/api/v1',
    level: '6',
    login: 'https://host.example/api/login',
    logout: 'https://host.example/api/logout',
  })
})

it('readSettings() without an address of logging in has none: there are no tokens', () => {
  expect(readSettings(body({ title: 'Books' }), page)).toEqual({
    title: 'Books',
    rest: 'https://host.example/api/rest',
    level: '5.1',
  })
})
