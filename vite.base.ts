import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Pages: `dist/ui` of `src/ui`. Their addresses are relative to the `<base>` that the server writes into the first page. */
export const pagesConfig = defineConfig({
  root: 'src/ui',
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compressed()],
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    // Scripts from data addresses are forbidden by the content security policy, as are styles in elements.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

/** Below that a header of the encoding is longer than what it saves. */
const worthBytes = 1024

/** Puts `<file>.br` and `<file>.gz` beside each file, so that the server compresses nothing. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets')
      for (const name of readdirSync(assets).filter((one) => /\.(js|css|svg)$/.test(one))) {
        const content = readFileSync(join(assets, name))
        if (content.length < worthBytes) continue
        writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }))
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
        writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content, { params }))
      }
    },
  }
}
