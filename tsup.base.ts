import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { defineConfig } from 'tsup'

interface PackageJson {
  engines: { node: string }
  exports?: Record<string, string | { default: string }>
  bin?: Record<string, string>
}

export interface PackageOptions {
  /** Folders that the package ships, each with its place in `dist`; what a run left in them (`data`) is not taken. */
  folders?: Record<string, string>
  /** JSON Schemas that are compiled ahead to modules in `dist`, by their names. */
  validators?: Record<string, object>
}

/**
 * The build of one package, derived from its package.json: an entry per subpath of "exports", an entry per
 * `src/**\/*.worker.ts` (built to `dist/<name>.worker.js`, so that code may say
 * `new URL('./<name>.worker.js', import.meta.url)` wherever bundling puts it), a copy of each exported JSON file, and
 * per "bin" a program that calls the `main(args)` of `src/main.ts`, which resolves with the exit code.
 *
 * Declarations are not made here: `tsc -p tsconfig.build.json` runs afterwards.
 */
export function packageConfig({ folders = {}, validators = {} }: PackageOptions = {}) {
  const { exports = {}, bin = {}, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as PackageJson
  const programs = Object.entries(bin)
  const targets = [
    ...Object.values(exports).map((target) => (typeof target === 'string' ? target : target.default)),
    ...(programs.length > 0 ? ['./dist/main.js'] : []),
  ].filter((target) => target.startsWith('./dist/'))
  const workers = globSync('src/**/*.worker.ts').map((file) => [basename(file, '.ts'), file])
  const names = workers.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new Error(`Two workers are called "${twice}.ts"; they would be built to the same file.`)

  return defineConfig({
    entry: Object.fromEntries([...targets.filter((target) => target.endsWith('.js')).map(entry), ...workers]),
    format: ['esm'],
    target: 'node22',
    dts: false,
    sourcemap: true,
    splitting: true,
    clean: true,
    skipNodeModulesBundle: true,
    // What "imports" of package.json names is made by the build itself.
    external: [/^#/],
    // Without its prefix, `node:sqlite` would not be found.
    removeNodeProtocol: false,
    silent: true,
    async onSuccess() {
      for (const target of targets.filter((file) => file.endsWith('.json'))) copy(target)
      for (const [name, target] of programs) writeFileSync(target, program(name, engines.node), { mode: 0o755 })
      for (const [name, schema] of Object.entries(validators)) await compileSchema(schema, join('dist', name))
      for (const [from, to] of Object.entries(folders)) {
        const isShipped = (file: string) => !['data', 'node_modules'].includes(basename(file))
        cpSync(from, join('dist', to), { recursive: true, filter: isShipped })
      }
    },
  })
}

/** `./dist/a/b.js` is built from `src/a/b.ts`. */
function entry(target: string): [name: string, source: string] {
  const name = relative('dist', target).replace(/\.js$/, '')
  return [name, `src/${name}.ts`]
}

/** `./dist/schema/x.json` is a copy of `schema/x.json`. */
function copy(target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join('.', relative('dist', target)), target)
}

/**
 * A program's first file. An older Node could not even read the others, so it looks at the version before it loads them;
 * and Node 22 would warn on every call that node:sqlite is new there. Compiled code is kept in a folder that only the user
 * can write, unless NODE_COMPILE_CACHE names another one or NODE_DISABLE_COMPILE_CACHE is set.
 *
 * @param range `>=22.18`
 */
function program(name: string, range: string): string {
  const [major, minor] = range.replace('>=', '').split('.')
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > ${major} || (major === ${major} && minor >= ${minor})) {
  const { emitWarning } = process
  process.emitWarning = (warning, ...more) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning.call(process, warning, ...more)
  }
  // The reader of its output may have gone (\`| head\`).
  const ignoreClosedPipe = (error) => {
    if (error.code !== 'EPIPE') throw error
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe)
  const [{ enableCompileCache }, { existsSync, lstatSync, mkdirSync }, { tmpdir }] = await Promise.all(
    ['module', 'fs', 'os'].map((name) => import('node:' + name)),
  )
  try {
    const user = process.getuid?.()
    const folder = tmpdir() + '/steward-code' + (user === undefined ? '' : '-' + user)
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    const found = lstatSync(folder)
    // Code of others is not run.
    const isOwn = user === undefined || (found.uid === user && (found.mode & 0o077) === 0)
    if (found.isDirectory() && isOwn) enableCompileCache(folder)
  } catch {
    // It starts without.
  }
  const { main } = await import('./main.js')
  const code = await main(process.argv.slice(2))
  process.exitCode = code
  // Who was ended by a signal does not wait for what it left.
  if (code > 128) process.exit()
} else {
  process.stderr.write('${name} needs Node ${major}.${minor} or newer; this is Node ' + process.versions.node + '.\\n')
  process.exitCode = 1
}
`
}

/** What ajv would make of it at run time, with the same options as `checkText` of rest-core. */
async function compileSchema(schema: object, file: string): Promise<void> {
  const code = { source: true, esm: true }
  const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, code })
  const contents = standalone.default(ajv, ajv.compile(schema))
  // Its helpers are CommonJS.
  const stdin = { contents, resolveDir: import.meta.dirname }
  await build({ stdin, bundle: true, format: 'esm', platform: 'node', minify: true, outfile: file, logLevel: 'error' })
}
