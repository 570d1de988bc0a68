import { readFileSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { defineConfig } from 'tsup'
import { packageConfig } from '../../tsup.base.js'

/** What the tester page is made of; bundled, so that users of this package install none of it. */
const bundled = ['preact', 'marked', 'dompurify']

/** The tester page for browsers: `dist/tester/`. */
const testerPage = defineConfig({
  entry: { tester: 'src/tester/main.tsx' },
  outDir: 'dist/tester',
  tsconfig: 'src/tester/tsconfig.json',
  format: ['esm'],
  platform: 'browser',
  target: 'es2022',
  noExternal: [/.*/],
  minify: true,
  splitting: false,
  dts: false,
  clean: true,
  silent: true,
  async onSuccess() {
    writeFileSync('dist/tester/licences.txt', bundled.map(licenceOf).join('\n'))
  },
})

// The page cleans its own folder.
export default [{ ...packageConfig(), clean: ['!tester/**'] }, testerPage]

function licenceOf(name: string): string {
  const manifest = findPackageJSON(name, import.meta.url) as string
  return `${name}\n\n${readFileSync(join(dirname(manifest), 'LICENSE'), 'utf8')}`
}
