import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeNewFile } from '../accounts/places.js'
import type { Home } from '../domain/home.js'
import { foreignKind, readForeignFile } from '../accounts/foreign.js'
import { isWebapp, notForWebapps } from '../files/webapp.js'
import { installedServer, storedProgram, storeServer } from './server-store.js'

const ownPackage = 'node_modules/@steward/app-server'
/** Where a template that brings its own application server has it, below the application. */
export const ownServer = `${ownPackage}/dist/cli.js`

/**
 * In an application: which server of the store it runs on. So it goes where the application goes: into a restore point
 * and back, into a clone, a backup, the trash.
 */
const mark = '.application-server'

export interface ServerContext {
  readonly home: Home
  /** Absolute path of the manager's application server. */
  readonly applicationServer: string
}

/**
 * The program that serves the application of a folder: its own, the one that it was tested with, or the manager's.
 *
 * @throws ManagerError ERR_STATE for a Java web application
 */
export function applicationServerOf({ applicationServer, home }: ServerContext, app: string): string {
  if (isWebapp(app)) throw notForWebapps(app, 'Only Node applications describe their objects, records and users.')
  return bringsServer(app) ? join(app, ownServer) : managersServer({ applicationServer, home }, app)
}

/**
 * The program that serves an application which does not bring its own: nothing in the folder of the application, where
 * an instance may put what it likes, but which one of the store that is.
 */
export function managersServer({ applicationServer, home }: ServerContext, app: string): string {
  const id = pinnedServer(app)
  const stored = id === undefined ? undefined : storedProgram(home, id)
  return stored !== undefined && existsSync(stored) ? stored : applicationServer
}

/** Whether an application brings its own. Where a package manager put a link, it is not looked at where that leads. */
export function bringsServer(app: string): boolean {
  return foreignKind(join(app, ownPackage)) === 'link' || foreignKind(join(app, ownServer)) === 'file'
}

/** Id of the server that an application stays with; undefined: it follows the manager, or has its own. */
export function pinnedServer(app: string): string | undefined {
  const id = readForeignFile(join(app, mark))?.trim()
  // The application may have written it.
  return id !== undefined && /^\d[\w.+-]{0,100}$/.test(id) ? id : undefined
}

/** Id of a server that an application should have, and that is not in the store: it runs on the manager's. */
export function missingServer({ home }: Pick<ServerContext, 'home'>, app: string): string | undefined {
  const id = pinnedServer(app)
  return id === undefined || existsSync(storedProgram(home, id)) || bringsServer(app) ? undefined : id
}

/**
 * Lets an application stay with the server that the manager has now, whatever the manager is upgraded to, until its own
 * upgrade. Nothing to do for one that stays with a server already, and in a checkout of the project, whose server is
 * always the present one.
 */
export async function pinServer(context: ServerContext, app: string): Promise<void> {
  if (!existsSync(app) || isWebapp(app) || pinnedServer(app) !== undefined || bringsServer(app)) return
  const server = installedServer(context.applicationServer)
  if (!server) return
  await storeServer(context.home, server)
  try {
    // The application may have put a link there.
    await writeNewFile(join(app, mark), `${server.id}\n`, { mode: 0o644 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** The same in a step, which does not fail for it: the application follows the manager then. */
export async function pinServerIn(
  { context, warn }: { readonly context: ServerContext; warn(text: string): void },
  app: string,
): Promise<void> {
  try {
    await pinServer(context, app)
  } catch (error) {
    warn(`It uses the manager's application server, because its own could not be kept: ${(error as Error).message}`)
  }
}

/** For people: `1.2.0` of `1.2.0-0123456789ab`. */
export function serverVersion(id: string): string {
  return id.replace(/-[0-9a-f]{12}$/, '')
}

/** Version of the server that an application stays with; empty: it follows the manager, or has its own. */
export function serverOf(app: string): string {
  const id = pinnedServer(app)
  return id === undefined ? '' : serverVersion(id)
}
