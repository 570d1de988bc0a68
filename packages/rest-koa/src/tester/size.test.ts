/// <reference types="node" />
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'

const built = fileURLToPath(new URL('../../dist/tester', import.meta.url))
const textOf = (name: string) => readFileSync(join(built, name), 'utf8')

it('the first load is small: script and styles below 45 kB compressed, without what renders documents', () => {
  const bytes = ['tester.js', 'tester.css'].map((name) => brotliCompressSync(textOf(name)).length)
  const first = bytes.reduce((sum, one) => sum + one)
  expect(first).toBeGreaterThan(10_000)
  expect(first).toBeLessThan(45_000)
  const later = readdirSync(built).filter((name) => name.endsWith('.js') && name !== 'tester.js')
  expect(later.map((name) => name.replace(/-.*/, '')).toSorted()).toEqual(['marked.esm', 'sanitize'])
  // Nothing of them is imported by the first script itself.
  expect(textOf('tester.js')).not.toMatch(/\bfrom\s*["']\.\//)
})

it('the licences of the packages in it and of the font lie beside it', () => {
  const licences = textOf('licences.txt')
  for (const name of ['preact', 'marked', 'dompurify', 'Geist']) expect(licences).toMatch(new RegExp(`^${name}$`, 'm'))
})
