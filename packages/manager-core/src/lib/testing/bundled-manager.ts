import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type * as manager from '../manager.js'
import type { CrashAction } from './crash-action.js'
import type { CrashReport } from './crash-point.js'
import { runBuilt } from './run-program.js'

export interface BundledManager {
  /** Path of `crash-action`, built. */
  readonly program: string
  /** Path of `do-harm`, built. */
  readonly harm: string
  /** Path of `hostile-instance/operator`, built. */
  readonly operator: string
  readonly createManager: typeof manager.createManager
}

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
let bundled: Promise<BundledManager> | undefined

/**
 * The sources in a few files: a process that has them is there in a third of the time, its instances in half, and a
 * build that runs meanwhile changes nothing. Made once for each run of tests.
 */
export function bundledManager(): Promise<BundledManager> {
  return (bundled ??= bundle())
}

async function bundle(): Promise<BundledManager> {
  // Each run has a folder for temporary files of its own, which it removes.
  const folder = join(tmpdir(), 'steward-bundle')
  // Node itself loads what is in a `dist`, see vitest.config.ts.
  const outdir = join(folder, 'dist')
  const failure = join(folder, 'failed')
  if (takes(folder)) {
    try {
      await buildInto(folder)
      renameSync(join(folder, 'build'), outdir)
    } catch (error) {
      writeFileSync(failure, String(error))
      throw error
    }
  }
  while (!existsSync(outdir)) {
    if (existsSync(failure)) throw new Error(`The manager was not bundled, see the other failures: ${failure}`)
    await setTimeout(100)
  }
  const { createManager } = (await import(pathToFileURL(join(outdir, 'manager.js')).href)) as typeof manager
  const built = (name: string) => join(outdir, `${name}.js`)
  return { program: built('crash-action'), harm: built('do-harm'), operator: built('operator'), createManager }
}

/** Whether this process is the first one that asks for the folder. */
function takes(folder: string): boolean {
  try {
    // Accounts of instances run programs in it.
    mkdirSync(folder, { mode: 0o755 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function buildInto(folder: string): Promise<void> {
  const modules = pathOf('../../../../../node_modules')
  symlinkSync(modules, join(folder, 'node_modules'))
  // Without it, Node reads each file twice.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await build({
    entryPoints: [
      pathOf('../manager.ts'),
      pathOf('./crash-action.ts'),
      pathOf('./do-harm.ts'),
      pathOf('./hostile-instance/operator.ts'),
      pathOf('../runtime/guest.worker.ts'),
      pathOf('../runtime/swarm/swarm-relay.worker.ts'),
      pathOf('../databases/sqlite.worker.ts'),
      pathOf('../backup/packing/measure.worker.ts'),
      pathOf('../../../../db-adapters/src/lib/sqlite/server/check-file.worker.ts'),
    ],
    entryNames: '[name]',
    outdir: join(folder, 'build'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // By itself, Node would load 70 files.
    alias: { yaml: join(modules, 'yaml/browser/index.js') },
    // Loaded when they are needed, if at all.
    external: [
      '@faker-js/faker',
      '@steward/backup-targets',
      'better-sqlite3',
      'easy-template-x',
      'mysql2',
      'nodemailer',
      'pg',
      'tedious',
    ],
    logLevel: 'error',
  })
}

/** An action, or recovery, killed at an entry of the journal. @returns undefined when it was. */
export async function crashAction(
  program: string,
  run: CrashAction,
  environment: NodeJS.ProcessEnv = {},
): Promise<CrashReport | undefined> {
  const output = await runBuilt(program, run, environment)
  return output === undefined ? undefined : (JSON.parse(output) as CrashReport)
}
