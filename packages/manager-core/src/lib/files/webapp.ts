import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'

/** Whether a folder is a Java web application: Tomcat serves it, and nothing else of the manager knows what is in it. */
export function isWebapp(app: string): boolean {
  const folder = join(app, 'WEB-INF')
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  // A link of an instance may lead anywhere.
  if (stats?.isSymbolicLink() && [0, process.getuid?.()].includes(stats.uid))
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false
  return stats?.isDirectory() ?? false
}

/** What only applications for Node can do, as a sentence: `Records can only be copied …`. */
export function notForWebapps(app: string, help: string): ManagerError {
  return new ManagerError('ERR_STATE', `The application in ${app} is a Java web application. ${help}`)
}
