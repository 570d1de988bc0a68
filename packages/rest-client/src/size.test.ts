import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

it('is small enough for pages: below 6 kB compressed', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: "export { createClient, RestClientError, exactly } from './index.ts'",
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThan(6_000)
})
