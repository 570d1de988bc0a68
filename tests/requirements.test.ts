import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const table = readFileSync(new URL('docs/requirements.md', root), 'utf8')
const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:---|Requirement)/.test(line))
const proofs = [...table.matchAll(/`([^`]+\.ts)` › `([^`]+)`/g)].map(([, file = '', title = '']) => ({ file, title }))

test('every test that docs/requirements.md names is there', () => {
  expect(proofs.length).toBeGreaterThan(rows.length)
  const missing = proofs.filter(({ file, title }) => {
    const url = new URL(file, root)
    return !existsSync(url) || !readFileSync(url, 'utf8').includes(title)
  })
  expect(missing).toEqual([])
})

test('every row of docs/requirements.md says where it is described and what proves it, or that it is not there', () => {
  expect(rows.length).toBeGreaterThan(80)
  const bare = rows.filter((row) => !/\| not there[^|]*\|$/.test(row) && !(row.includes('.md)') && row.includes(' › ')))
  expect(bare).toEqual([])
})
