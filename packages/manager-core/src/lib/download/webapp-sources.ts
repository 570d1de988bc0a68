import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { specOf } from '../application/instance-spec.js'
import type { TarInput, TarSource } from '../backup/packing/pack-in-node.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import {
  catalinaProperties,
  contextXml,
  loggingProperties,
  webappFolder,
  webXml,
} from '../runtime/tomcat/base-files.js'
import { downloadedServerXml, tomcatReadme, tomcatScript } from './tomcat-script.js'

/** Variables of the database that start.sh sets, unless they are set already. */
const databaseVariables = ['', '_HOST', '_PORT', '_NAME', '_USER', '_URL'].map((end) => `SERVICE_DATABASE${end}`)

/**
 * A Java web application as a base of Tomcat, with the libraries and settings that hooks gave it.
 *
 * @param dump file of the dump of a database server, as it is called in the archive
 */
export async function webappSources(
  context: ManagerContext,
  instance: Instance,
  { of, dump }: { readonly of: TarSource; readonly dump: string | undefined },
): Promise<TarInput[]> {
  const { name, version } = instance
  const { folder, app, tomcat: base } = context.home.instance(instance.id)
  const { tomcat, environment } = await specOf(context, instance)
  const { context: path = '/', encoding = 'UTF-8', dataSource } = tomcat ?? {}
  const database = databaseVariables.flatMap((key): [string, string][] => {
    const value = environment[key]
    return value === undefined ? [] : [[key, value.replaceAll(folder, '$APP_ROOT')]]
  })
  const options = {
    name,
    version,
    date: context.clock().toISOString(),
    context: path,
    encoding,
    database: Object.fromEntries(database),
    dump,
  }
  const generated = {
    'context.xml': contextXml(dataSource),
    'web.xml': webXml,
    'catalina.properties': catalinaProperties(undefined),
    'logging.properties': loggingProperties,
  }
  const conf = Object.entries(generated).map(([file, content]): TarInput => {
    const target = `${name}/conf/${file}`
    const source = join(base, 'conf', file)
    // Drivers are in \`lib\` here.
    const isOwn = file !== 'catalina.properties' && existsSync(source)
    return isOwn ? { source, target, root: base } : { target, content, mode: 0o644 }
  })
  const libraries = [
    ...filesOf(join(base, 'lib')),
    ...(dataSource?.jar === undefined ? [] : [realpathSync(dataSource.jar)]),
  ]
  return [
    { source: app, target: `${name}/webapps/${webappFolder(path)}`, ...of },
    ...conf,
    ...libraries.map((source): TarInput => ({
      source,
      target: `${name}/lib/${basename(source)}`,
      root: dirname(source),
    })),
    { target: `${name}/conf/server.xml`, content: downloadedServerXml(false), mode: 0o644 },
    { target: `${name}/conf/server-https.xml`, content: downloadedServerXml(true), mode: 0o644 },
    { target: `${name}/start.sh`, content: tomcatScript(options), mode: 0o755 },
    { target: `${name}/README.md`, content: tomcatReadme(options), mode: 0o644 },
  ]
}

function filesOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}
