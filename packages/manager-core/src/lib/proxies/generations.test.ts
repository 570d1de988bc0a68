import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createGenerations } from './generations.js'

it('a generation shares the files that the live one has as they are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-generations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const generations = createGenerations(folder)
  const file = (generation: string, name: string) => join(generations.path(generation), name)
  const inodes = (name: string) => ['a', 'b'].map((generation) => statSync(file(generation, name)).ino)

  await generations.write(
    'a',
    new Map([
      ['sites.conf', 'one'],
      ['certificates/c.pem', 'C'],
      ['clients.pem', 'D'],
    ]),
  )
  generations.swap('a')
  writeFileSync(file('a', 'clients.pem'), 'changed by hand')
  const files = new Map([
    ['sites.conf', 'two'],
    ['certificates/c.pem', 'C'],
    ['clients.pem', 'D'],
  ])
  await generations.write('b', files)

  expect(generations.isSame('b', files)).toBe(true)
  expect(readFileSync(file('a', 'sites.conf'), 'utf8')).toBe('one')
  const isShared = (name: string) => new Set(inodes(name)).size === 1
  expect(['sites.conf', 'certificates/c.pem', 'clients.pem'].map(isShared)).toEqual([false, true, false])
})
