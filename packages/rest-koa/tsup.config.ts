import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { defineConfig } from 'tsup'
import { packageConfig } from '../../tsup.base.js'
import { versionOf } from '../../vite.base.js'

/** The name of the package that a file belongs to. */
const packagePattern = /node_modules\/((?:@[^/]+\/)?[^/]+)\//

/**
 * The tester page for browsers: `dist/tester/`. Its packages are bundled, so that users of this package install none of
 * them, with their licences beside it.
 */
const testerRouter = defineConfig({
  entry: { tester: 'src/tester/main.tsx' },
  outDir: 'dist/tester',
  tsconfig: 'src/tester/tsconfig.json',
  format: ['esm'],
  platform: 'browser',
  target: 'es2022',
  noExternal: [/.*/],
  minify: true,
  // What few answers need is loaded with the first of them.
  splitting: true,
  define: { ...versionOf('package.json') },
  dts: false,
  clean: true,
  silent: true,
  loader: { '.svg': 'file', '.woff2': 'file' },
  esbuildOptions(options) {
    options.assetNames = '[name]-[hash]'
    options.chunkNames = '[name]-[hash]'
  },
  esbuildPlugins: [
    {
      name: 'licences',
      setup({ initialOptions, onEnd }) {
        initialOptions.metafile = true
        onEnd(({ metafile }) => {
          const names = Object.keys(metafile?.inputs ?? {}).map((path) => packagePattern.exec(path)?.[1])
          const bundled = [...new Set(names.filter((name) => name !== undefined))].toSorted()
          mkdirSync('dist/tester', { recursive: true })
          writeFileSync('dist/tester/licences.txt', [...bundled.map(licenceOf), font()].join('\n'))
        })
      },
    },
  ],
})

// The page cleans its own folder.
export default [{ ...packageConfig(), clean: ['!tester/**'] }, testerRouter]

/** The font that it is set in. */
function font(): string {
  return `Geist\n\n${readFileSync('../page-kit/src/brand/geist-licence.txt', 'utf8')}`
}

function licenceOf(name: string): string {
  const manifest = findPackageJSON(name, new URL('../page-kit/package.json', import.meta.url)) as string
  return `${name}\n\n${readFileSync(join(dirname(manifest), 'LICENSE'), 'utf8')}`
}
