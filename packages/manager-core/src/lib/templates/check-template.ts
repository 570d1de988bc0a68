import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { foreignKind, foreignOwner, foreignStats, readForeignFile, readForeignFolder } from '../accounts/foreign.js'
import { isWebapp } from '../files/webapp.js'
import { webappTitle } from './webapp-title.js'

/** What an application is: one for Node with an `app.yaml`, or a Java web application. */
export type ApplicationKind = 'node' | 'webapp'

/** What a template says about itself. */
export interface TemplateTitle {
  readonly name: string
  readonly title: string
  /** Version of the application; the version of the manager is the name of its file. */
  readonly version: string
}

/** By what is in its folder: `WEB-INF`, or one `*.war`, makes it a Java web application. */
export async function kindOf(folder: string): Promise<ApplicationKind> {
  const names = await readForeignFolder(folder)
  const archives = names.filter((name) => name.endsWith('.war') && foreignKind(join(folder, name)) === 'file')
  return isWebapp(folder) || archives.length === 1 ? 'webapp' : 'node'
}

/** Far more than any `app.yaml`. */
const maxBytes = 1024 * 1024

/**
 * Whether a folder is an application.
 *
 * @throws ManagerError ERR_TEMPLATE
 */
export async function checkTemplate(folder: string): Promise<TemplateTitle> {
  if (isWebapp(folder)) return webappTitle(folder)
  const file = join(folder, 'app.yaml')
  const stats = foreignStats(file)
  if (!stats?.isFile())
    throw new ManagerError('ERR_TEMPLATE', 'It has no app.yaml and no WEB-INF, so it is not an application.', {
      help: 'A template is the folder of an application. Is it a folder further down? For git add ?path=<folder>. A Java web application may also be one *.war.',
    })
  if (stats.size > maxBytes) throw new ManagerError('ERR_TEMPLATE', `Its app.yaml has ${stats.size} bytes.`)
  const { parseDocument } = await import('yaml')
  const document = parseDocument(readForeignFile(file, foreignOwner(folder)) ?? '')
  const [mistake] = document.errors
  if (mistake) throw new ManagerError('ERR_TEMPLATE', `Its app.yaml cannot be read: ${firstLine(mistake.message)}`)
  const content = document.toJS({ maxAliasCount: 100 }) as unknown
  const { name, version, title } = (typeof content === 'object' && content !== null ? content : {}) as Record<
    string,
    unknown
  >
  return { name: text('name', name), version: text('version', version), title: text('title', title ?? name) }
}

function text(key: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 200) return value.trim()
  throw new ManagerError('ERR_TEMPLATE', `Its app.yaml has no "${key}", a text of at most 200 characters.`)
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message
}
