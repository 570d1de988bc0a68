import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where a template that brings its own application server has it, below the application. */
export const ownServer = 'node_modules/@steward/app-server/dist/cli.js'

/** The program that serves the application of a folder: its own, or the manager's. */
export function applicationServerOf(app: string, managers: string): string {
  const own = join(app, ownServer)
  return existsSync(own) ? own : managers
}
