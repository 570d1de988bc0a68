import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../scripts/packages.mjs'

const files = globSync('{packages/*/src,examples,tests}/**/*.test.ts', {
  cwd: root,
  exclude: (name) => name === 'node_modules',
})
const isMixed = (file: string) => file.endsWith('.mixed.test.ts')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

it('a mixed file says so to the runner, and no other does', () => {
  const says = (file: string) => /^\/\*\*[\s*]*@module-tag mixed\s/.test(read(file))
  expect(files.filter((file) => says(file) !== isMixed(file))).toEqual([])
})

it('cases are marked as quick in mixed files alone, as elsewhere it means nothing', () => {
  const marked = files.filter((file) => /tags: \[?'core'/.test(read(file)))
  expect(marked.filter((file) => !isMixed(file))).toEqual([])
  expect(marked.length).toBeGreaterThan(10)
})
