import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of `app-server`'s program: of the package that is installed beside this one. */
export function applicationServer(): string {
  const manifest = createRequire(import.meta.url).resolve('@steward/app-server/package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> }
  return join(dirname(manifest), bin['app-server'] as string)
}

/** Absolute path of the template that ships with the manager; the build puts it there. */
export function defaultTemplate(): string {
  return join(packageFolder(), 'dist/templates/default')
}

/** This program, for timers. */
export function command(): readonly string[] {
  return [process.execPath, join(packageFolder(), 'dist/cli.js')]
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { version: string }).version
}

/** This package's folder, wherever in it the code has been bundled to. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
