import { fileURLToPath } from 'node:url'
import { createTestManager, type TestManager } from './create-test-manager.js'
import { databaseConfig } from './database-config.js'

const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))
const defaultTemplate = fileURLToPath(new URL('../../../../../templates/default', import.meta.url))

/** Options of a manager that serves the template that ships with the real application server. */
export const realApplication = { applicationServer, defaultTemplate, version: ['APPS_TEMPLATE=default'] } as const

/** The same for instances that are processes: hashes of their passwords cost next to nothing. */
export const realProcess = {
  ...realApplication,
  applicationServer: fileURLToPath(new URL('./real-application-server.mjs', import.meta.url)),
} as const

/** Serves it; databases are also on these servers. */
export function createRealManager(...urls: readonly string[]): Promise<TestManager> {
  return createTestManager({ ...realProcess, config: urls.length > 0 ? databaseConfig(...urls) : [] })
}

/** Header that logs the administrator in whom the first start made. */
export async function authorizationOf({ context, path }: TestManager, name: string): Promise<string> {
  const { adminUser, adminPassword } = await context.settings.instance(path(name))
  return `Basic ${Buffer.from(`${adminUser}:${adminPassword.reveal()}`).toString('base64')}`
}

/** Through its REST service, as the administrator of an instance: of a clone, that of its source. */
export async function addCompany(manager: TestManager, name: string, company: string, of = name): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${manager.instance(name).port}/api/rest/Company`, {
    method: 'POST',
    headers: { Authorization: await authorizationOf(manager, of), 'Content-Type': 'application/json' },
    body: JSON.stringify({ com_name: company }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The company was not added: ${response.status} ${text}`)
}
