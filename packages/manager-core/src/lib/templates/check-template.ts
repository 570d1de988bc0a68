import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { readForeignFile } from '../files/foreign.js'

/** What `app.yaml` of a template says about it. */
export interface TemplateTitle {
  readonly name: string
  readonly title: string
  /** Of the application; the version of the manager is the name of its file. */
  readonly version: string
}

/** Far more than any `app.yaml`. */
const maxBytes = 1024 * 1024

/**
 * Whether a folder is an application.
 *
 * @throws ManagerError ERR_TEMPLATE
 */
export async function checkTemplate(folder: string): Promise<TemplateTitle> {
  const file = join(folder, 'app.yaml')
  const [stats, parent] = await Promise.all([file, folder].map((path) => lstat(path).catch(() => undefined)))
  if (!stats?.isFile())
    throw new ManagerError('ERR_TEMPLATE', 'It has no app.yaml, so it is no application.', {
      help: 'A template is the folder of an application. Is it a folder further down? For git add ?path=<folder>.',
    })
  if (stats.size > maxBytes) throw new ManagerError('ERR_TEMPLATE', `Its app.yaml has ${stats.size} bytes.`)
  const { parseDocument } = await import('yaml')
  // In the folder of an account it may become a link to a file of somebody else.
  const owner = parent?.uid === process.getuid?.() ? undefined : parent?.uid
  const document = parseDocument(readForeignFile(file, owner) ?? '')
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
