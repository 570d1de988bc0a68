import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { build, type Metafile, type Plugin } from 'esbuild'
import { packageConfig } from '../../tsup.base.js'

/** Modules of knex that the sources import, by the names of their bundles in `dist`. */
const imported = new Map<string, string>()

const imports: Plugin = {
  name: 'imports of knex',
  setup({ onResolve }) {
    onResolve({ filter: /^knex\/lib\// }, ({ path }) => {
      const name = `knex-${path.replaceAll(/^knex\/lib\/|(?:\/index)?\.js$/g, '').replaceAll('/', '-')}`
      imported.set(name, path)
      return { path: `./${name}.js`, external: true }
    })
  },
}

/** Modules that are those of the installed knex: errors, which applications catch by their class, and what is rarely used. */
const installed: Readonly<Record<string, string>> = {
  'util/timeout': `module.exports = require('knex/lib/util/timeout.js')`,
  'migrations/migrate/Migrator': `exports.Migrator = function (...options) {
    const { Migrator } = require('knex/lib/migrations/migrate/Migrator.js')
    return new Migrator(...options)
  }`,
  'migrations/seed/Seeder': `module.exports = function (...options) {
    const Seeder = require('knex/lib/migrations/seed/Seeder.js')
    return new Seeder(...options)
  }`,
}

/** Classes whose instances may be made by the installed knex as well, and a test for them. */
const classes: Readonly<Record<string, string>> = {
  raw: `(value) => value?.isRawInstance === true`,
  'query/querybuilder': `(value) => Array.isArray(value?._statements) && typeof value.toSQL === 'function'`,
}

const parts: Plugin = {
  name: 'parts of knex',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^knex\/lib\// }, ({ kind }) => (kind === 'require-call' ? { external: true } : undefined))
    onLoad({ filter: /[\\/]knex[\\/]lib[\\/]/ }, ({ path }) => {
      const name = path.replaceAll('\\', '/').replaceAll(/^.*\/knex\/lib\/|\.js$/g, '')
      if (installed[name] !== undefined) return { contents: installed[name] }
      if (classes[name] === undefined) return undefined
      const more = `Object.defineProperty(module.exports, Symbol.hasInstance, { value: ${classes[name]} })`
      return { contents: `${readFileSync(path, 'utf8')}\n${more}\n` }
    })
  },
}

/** Bundles what is used of knex, with its dependencies: loading some 350 files takes several times as long. */
async function bundleKnex(): Promise<void> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(imported),
    outdir: 'dist',
    chunkNames: 'knex-[hash]',
    bundle: true,
    splitting: true,
    // Names are kept, as errors and stack traces show them.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'none',
    // The drivers of all dialects.
    external: ['better-sqlite3', 'sqlite3', 'mysql', 'mysql2', 'oracledb', 'pg', 'pg-query-stream', 'tedious'],
    banner: { js: `import{createRequire}from'node:module';const require=createRequire(import.meta.url);` },
    plugins: [parts],
    logLevel: 'error',
  })
  writeFileSync('dist/knex-licences.txt', licencesOf(metafile))
}

/** The licences of all packages that are bundled. */
function licencesOf({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  const texts = [...new Set(folders)].map((folder) => {
    const [file] = globSync(`${folder}/{LICENSE,license}{,.md}`)
    if (file === undefined) throw new Error(`${folder} has no licence.`)
    return `${folder.replace(/^.*node_modules\//, '')}\n\n${readFileSync(file, 'utf8')}`
  })
  return texts.toSorted().join('\n')
}

export default {
  ...packageConfig(),
  noExternal: [/^knex\/lib\//],
  esbuildPlugins: [imports],
  onSuccess: bundleKnex,
}
