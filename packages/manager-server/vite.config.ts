import { defineConfig } from 'vite'

/** The pages: `dist/ui`. Their addresses are relative to the `<base>` that the server writes into the first page. */
export default defineConfig({
  root: 'src/ui',
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    // Scripts from data addresses are forbidden by the content security policy, as are styles in elements.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
