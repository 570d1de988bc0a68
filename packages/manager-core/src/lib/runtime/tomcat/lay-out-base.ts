import { existsSync, lstatSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { removeTree } from '../../accounts/remove-tree.js'
import { accountAt, type SystemAccount } from '../../accounts/account.js'
import { give } from '../../accounts/give.js'
import { instanceHomeAt } from '../../domain/home.js'
import { writePrivateFile } from '../../files/write-private-file.js'
import { run } from '../../system/run.js'
import type { InstanceSpec } from '../runtime.js'
import {
  catalinaProperties,
  contextXml,
  loggingProperties,
  serverXml,
  socketServerFile,
  webappFolder,
  webXml,
  withSocket,
} from './base-files.js'
import { runScript } from './run-script.js'
import type { TomcatSpec } from './tomcat-spec.js'

/** What Tomcat and its web application write to. */
const written = ['work', 'temp'] as const

/**
 * Makes the base of an instance's Tomcat, `CATALINA_BASE`, where there is none. One that is there stays as hooks changed
 * it; only what leads to the application follows the settings.
 *
 * @returns whether Tomcat can take a socket there
 */
export async function layOutBase(
  { folder }: Pick<InstanceSpec, 'folder'>,
  { app, context, dataSource }: TomcatSpec,
): Promise<boolean> {
  const { tomcat: base } = instanceHomeAt(folder)
  const account = accountAt(folder)
  if (!existsSync(base)) await install(base, dataSource)
  // Where Tomcat looks for descriptors of its host: without it, Tomcat tries to create it, and logs that it may not.
  await mkdir(join(base, 'conf/Catalina/localhost'), { recursive: true, mode: 0o700 })
  await linkApplication(base, app, context)
  const script = runScriptOf(folder)
  if ((await readFile(script, 'utf8').catch(() => '')) !== runScript) await writePrivateFile(script, runScript)
  const server = withSocket(await readFile(join(base, 'conf/server.xml'), 'utf8'))
  if (server !== undefined) await writePrivateFile(join(base, 'conf', socketServerFile), server)
  if (account) await openTo(base, account)
  return server !== undefined
}

/** Path of the program that runs Tomcat. */
export function runScriptOf(folder: string): string {
  return join(instanceHomeAt(folder).tomcat, 'bin/run.sh')
}

/** Whole or not at all. */
async function install(base: string, dataSource: TomcatSpec['dataSource']): Promise<void> {
  const beside = `${base}.new`
  await removeTree(beside)
  for (const name of ['bin', 'conf', 'lib', 'webapps', ...written])
    await mkdir(join(beside, name), { recursive: true, mode: 0o700 })
  const files = {
    'server.xml': serverXml,
    'context.xml': contextXml(dataSource),
    'web.xml': webXml,
    'catalina.properties': catalinaProperties(dataSource),
    'logging.properties': loggingProperties,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(beside, 'conf', name), text, { mode: 0o600 })
  // What an application writes to its server's logs is shown and downloaded with the others.
  await symlink('../logs', join(beside, 'logs'))
  await rename(beside, base)
}

/** `webapps/ROOT`, or `webapps/<context>`: a link to the application. */
async function linkApplication(base: string, app: string, context: string): Promise<void> {
  const webapps = join(base, 'webapps')
  const name = webappFolder(context)
  const target = relative(webapps, app)
  const entries = await readdir(webapps, { withFileTypes: true })
  for (const link of entries.filter((entry) => entry.isSymbolicLink() && entry.name !== name)) {
    const path = join(webapps, link.name)
    if ((await readlink(path)) === target) await rm(path)
  }
  if (!entries.some((entry) => entry.name === name)) await symlink(target, join(webapps, name))
}

/** Its account reads it, and writes to nothing that says how it is served. */
async function openTo(base: string, account: SystemAccount): Promise<void> {
  const { uid, gid } = account
  const own = process.getuid?.() ?? 0
  for (const folder of written.map((name) => join(base, name)))
    if (lstatSync(folder).uid !== uid) await give(folder, account)
  const closed = ['bin', 'conf', 'lib', 'webapps'].map((name) => join(base, name))
  await run('chown', ['-hR', `${own}:${gid}`, '--', ...closed])
  await run('chmod', ['-R', 'u=rwX,g=rX,o=', '--', ...closed])
  await run('chown', [`${own}:${gid}`, '--', base])
  await run('chmod', ['0750', '--', base])
}
