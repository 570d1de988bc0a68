import { mkdtempSync, rmSync, symlinkSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type * as simulation from './simulate.js'

const folder = fileURLToPath(new URL('.', import.meta.url))
const packages = fileURLToPath(new URL('../../../../../', import.meta.url))

/** What the simulated machine has in place of what the manager imports. */
const standIns: Readonly<Record<string, string>> = {
  'node:fs': 'modules/fs.ts',
  'node:fs/promises': 'modules/fs-promises.ts',
  'node:os': 'modules/os.ts',
  'node:sqlite': 'modules/sqlite.ts',
  'node:timers/promises': 'modules/timers-promises.ts',
  'node:crypto': 'modules/crypto.ts',
  'node:zlib': 'modules/zlib.ts',
  'node:net': 'modules/net.ts',
  'node:child_process': 'modules/child-process.ts',
  execa: 'modules/execa.ts',
  'p-limit': 'modules/p-limit.ts',
  '@steward/db-adapters/server': 'modules/db-adapters-server.ts',
  '@steward/backup-targets': '../../../../../backup-targets/src/index.ts',
}

/** A line of the sources that is another one in this build: what a cure is without. */
export interface Mutation {
  /** End of the path. */
  readonly file: string
  readonly replace: string
  readonly by: string
}

export interface BuiltSimulation {
  readonly simulate: typeof simulation.simulate
  /** URL of the module that it is exported by, for other threads. */
  readonly file: string
}

/**
 * Builds the sources of the manager, as they are, on a simulated machine: what they import of Node and of the world
 * outside are its modules, and so are the clock and the process.
 */
export async function buildSimulation(mutations: readonly Mutation[] = []): Promise<BuiltSimulation> {
  const target = mkdtempSync(join(tmpdir(), 'steward-simulation-'))
  process.once('exit', () => rmSync(target, { recursive: true, force: true }))
  // Node itself loads what is in a `dist`, see vitest.config.ts.
  const outfile = join(target, 'dist', 'simulation.js')
  mkdirSync(join(target, 'dist'))
  symlinkSync(join(packages, '../node_modules'), join(target, 'node_modules'))
  const applied = new Set<Mutation>()
  await build({
    entryPoints: [join(folder, 'simulate.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    sourcemap: 'inline',
    inject: [join(folder, 'modules/globals.ts')],
    packages: 'external',
    plugins: [onSimulatedMachine(mutations, applied)],
    logLevel: 'error',
  })
  const missing = mutations.find((mutation) => !applied.has(mutation))
  if (missing) throw new Error(`${missing.file} has no "${missing.replace}"`)
  const file = pathToFileURL(outfile).href
  const { simulate } = (await import(file)) as typeof simulation
  return { simulate, file }
}

function onSimulatedMachine(mutations: readonly Mutation[], applied: Set<Mutation>): Plugin {
  return {
    name: 'simulated machine',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:|execa$|p-limit$|@steward\/)/ }, ({ path, importer }) => {
        const standIn = standIns[path]
        const isOwn = importer.startsWith(folder) && path !== '@steward/backup-targets'
        return standIn === undefined || isOwn ? undefined : { path: join(folder, standIn) }
      })
      // It writes files itself.
      onResolve({ filter: /^modern-tar/ }, ({ path }) => ({ path: createRequire(import.meta.url).resolve(path) }))
      onResolve({ filter: /\/create-process-runtime\.js$/ }, () => ({ path: join(folder, 'runtime.ts') }))
      onResolve({ filter: /\/create-nginx\.js$/ }, () => ({ path: join(folder, 'nginx.ts') }))
      onResolve({ filter: /\/registry-copies\.js$/ }, ({ importer }) =>
        importer.endsWith('/lib/manager.ts') ? { path: join(folder, 'modules/registry-copies.ts') } : undefined,
      )
      onResolve({ filter: /\/run-script\.js$/ }, ({ importer }) =>
        importer.endsWith('/hooks/create-hooks.ts') ? { path: join(folder, 'modules/run-script.ts') } : undefined,
      )
      onLoad({ filter: /packages\/manager-core\/src\/.*\.ts$/ }, ({ path }) => {
        const ours = mutations.filter(({ file }) => path.endsWith(file))
        if (ours.length === 0) return undefined
        let contents = readFileSync(path, 'utf8')
        for (const mutation of ours) {
          if (contents.includes(mutation.replace)) applied.add(mutation)
          contents = contents.replace(mutation.replace, mutation.by)
        }
        return { contents, loader: 'ts' }
      })
    },
  }
}
