import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'

/** Whether a folder is a Java web application: Tomcat serves it, and nothing else of the manager knows what is in it. */
export function isWebapp(app: string): boolean {
  return statSync(join(app, 'WEB-INF'), { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** What only applications for Node can do, as a sentence: `Records can only be copied …`. */
export function notForWebapps(app: string, help: string): ManagerError {
  return new ManagerError('ERR_STATE', `The application in ${app} is a Java web application. ${help}`)
}
