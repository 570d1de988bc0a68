import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'

const built = fileURLToPath(new URL('../dist/ui', import.meta.url))

it('the first load is small: below 60 kB compressed, all of it named in the page', () => {
  const html = readFileSync(join(built, 'index.html'), 'utf8')
  const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, name = '']) => name)
  // What the views share may be a file of its own, which is loaded at the same time.
  expect(files.length).toBeLessThanOrEqual(4)
  expect(new Set(files.map((name) => name.split('.').at(-1)))).toEqual(new Set(['js', 'css']))
  const bytes = files.map((name) => readFileSync(join(built, `${name}.br`)).length)
  const first = bytes.reduce((sum, one) => sum + one, brotliCompressSync(html).length)
  expect(first).toBeGreaterThan(10_000)
  expect(first).toBeLessThan(60_000)
})

it('the font comes apart from that: at most 30 kB, loaded early, with its licence', () => {
  const html = readFileSync(join(built, 'index.html'), 'utf8')
  const [, font = ''] = /<link rel="preload" as="font" [^>]*href="\.\/(assets\/[^"]+\.woff2)"/.exec(html) ?? []
  expect(readFileSync(join(built, font)).length).toBeLessThan(30_000)
  expect(readFileSync(join(built, 'geist-licence.txt'), 'utf8')).toContain('SIL OPEN FONT LICENSE Version 1.1')
})

it('the licences of the packages in it lie beside it', () => {
  const licences = readFileSync(join(built, 'licences.md'), 'utf8')
  for (const name of ['preact', 'preact-iso', 'marked', 'dompurify']) expect(licences).toContain(`\n## ${name} - `)
})

it('the pages load nothing from elsewhere', () => {
  const texts = readdirSync(join(built, 'assets'))
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => readFileSync(join(built, 'assets', name), 'utf8'))
  expect(texts.join('\n').match(/(?:import\(|url\(|from\s*)["'`]?https?:/g)).toBeNull()
})
