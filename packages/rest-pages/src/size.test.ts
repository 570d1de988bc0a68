import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'

const built = fileURLToPath(new URL('../dist/ui', import.meta.url))

it('the first load is small: below 60 kB compressed, of one script and one style', () => {
  const html = readFileSync(join(built, 'index.html'), 'utf8')
  const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, name = '']) => name)
  expect(files.map((name) => name.split('.').at(-1)).toSorted()).toEqual(['css', 'js'])
  const bytes = files.map((name) => readFileSync(join(built, `${name}.br`)).length)
  const first = bytes.reduce((sum, one) => sum + one, brotliCompressSync(html).length)
  expect(first).toBeGreaterThan(10_000)
  expect(first).toBeLessThan(60_000)
})

it('the pages load nothing from elsewhere', () => {
  const texts = readdirSync(join(built, 'assets'))
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => readFileSync(join(built, 'assets', name), 'utf8'))
  expect(texts.join('\n').match(/(?:import\(|url\(|from\s*)["'`]?https?:/g)).toBeNull()
})
