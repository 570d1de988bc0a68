import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  readonly createManager: typeof manager.createManager
}

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
let bundled: Promise<BundledManager> | undefined

/**
 * The sources in a few files: a process that has them is there in a third of the time, its instances in half, and a
 * build that somebody does meanwhile changes nothing. Made once for each process that runs tests.
 */
export function bundledManager(): Promise<BundledManager> {
  return (bundled ??= bundle())
}

async function bundle(): Promise<BundledManager> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-bundle-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Node itself loads what is in a `dist`, see vitest.config.ts.
  const outdir = join(folder, 'dist')
  mkdirSync(outdir)
  symlinkSync(pathOf('../../../../../node_modules'), join(folder, 'node_modules'))
  await build({
    entryPoints: [
      pathOf('../manager.ts'),
      pathOf('./crash-action.ts'),
      pathOf('./do-harm.ts'),
      pathOf('../runtime/guest.worker.ts'),
      pathOf('../../../../db-adapters/src/lib/sqlite/server/check-file.worker.ts'),
    ],
    entryNames: '[name]',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Loaded when they are needed, if at all.
    external: ['@faker-js/faker', '@steward/backup-targets', 'better-sqlite3', 'mysql2', 'nodemailer', 'pg', 'yaml'],
    logLevel: 'error',
  })
  const { createManager } = (await import(pathToFileURL(join(outdir, 'manager.js')).href)) as typeof manager
  return { program: join(outdir, 'crash-action.js'), harm: join(outdir, 'do-harm.js'), createManager }
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
