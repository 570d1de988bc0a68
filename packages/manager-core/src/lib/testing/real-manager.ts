import { fileURLToPath } from 'node:url'
import { createTestManager, type TestManager } from './create-test-manager.js'

const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))
const defaultTemplate = fileURLToPath(new URL('../../../../../templates/default', import.meta.url))

/** Serves the template that ships with the real application server, on a database server when one is named. */
export function createRealManager(server?: {
  readonly type: 'postgresql' | 'mysql'
  /** Of its administrator. */
  readonly url: string
}): Promise<TestManager> {
  return createTestManager({
    applicationServer,
    defaultTemplate,
    version: ['APPS_TEMPLATE=default'],
    config: server ? settingsOf(server.type, new URL(server.url)) : [],
  })
}

function settingsOf(type: string, { hostname, port, username, password }: URL): string[] {
  const name = `APPS_${type.toUpperCase()}`
  return [
    `export APPS_DATABASES=sqlite,${type}`,
    `export ${name}_HOST=${hostname}`,
    `export ${name}_PORT=${port}`,
    `export ${name}_ADMINUSER=${decodeURIComponent(username)}`,
    `export ${name}_ADMINPASSWORD='${decodeURIComponent(password)}'`,
  ]
}

/** Header that logs the administrator in whom the first start made. */
export async function authorizationOf({ context, path }: TestManager, name: string): Promise<string> {
  const { adminUser, adminPassword } = await context.settings.instance(path(name))
  return `Basic ${Buffer.from(`${adminUser}:${adminPassword.reveal()}`).toString('base64')}`
}

/** Through its REST service. Its administrator has the password of its settings. */
export async function addCompany(manager: TestManager, name: string, company: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${manager.instance(name).port}/api/rest/Company`, {
    method: 'POST',
    headers: { Authorization: await authorizationOf(manager, name), 'Content-Type': 'application/json' },
    body: JSON.stringify({ com_name: company }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The company was not added: ${response.status} ${text}`)
}
