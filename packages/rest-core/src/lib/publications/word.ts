import type { ScopeData, Tag, TemplatePlugin } from 'easy-template-x'
import { RestError } from '../../errors.js'
import type { DocumentStore } from '../documents/document-store.js'
import { baseField } from '../model/model.js'
import type { BusinessRecord, ObjectModel, ReadableField } from '../model/model.js'
import { optionalPackage } from './optional-package.js'
import { loadPicture, pictureBudget } from './pictures.js'
import type { PublicationModel } from './publication.js'
import { cleanText } from './table.js'
import { shownField } from './template-scope.js'

type Word = typeof import('easy-template-x')

const load = async (): Promise<Word> =>
  optionalPackage('A publication of the format docx', 'easy-template-x', () => import('easy-template-x'))

/** Longest side of a picture on the page, in pixels. Not specified; chosen so that it fits between the margins. */
const pictureSide = 400

const needsOf = new WeakMap<PublicationModel, Promise<readonly ReadableField[]>>()

/** Fields that a Word template shows, found when it is first used. @throws RestError ERR_INTERNAL naming template and field */
export function wordFields(object: ObjectModel, publication: PublicationModel): Promise<readonly ReadableField[]> {
  let needs = needsOf.get(publication)
  if (!needs) needsOf.set(publication, (needs = readTags(object, publication)))
  return needs
}

async function readTags(object: ObjectModel, publication: PublicationModel): Promise<readonly ReadableField[]> {
  const { TemplateHandler } = await load()
  const where = `${object.name}.publications.${publication.name}: ${String(publication.definition.file)}`
  const tags = await new TemplateHandler().parseTags(publication.word as Buffer).catch((cause: Error) => {
    throw new RestError('ERR_INTERNAL', `${where} is not a Word template that can be read: ${cause.message}`, { cause })
  })
  const fields = new Set<ReadableField>()
  let inRecords = publication.scope === 'record'
  for (const { name, disposition } of tags) {
    if (publication.scope !== 'record' && name === 'records') inRecords = disposition === 'Open'
    else if (publication.scope !== 'record' && name === 'count') continue
    else {
      const field = inRecords ? shownField(object, name) : undefined
      if (!field) {
        const hint = inRecords ? '' : '; fields stand between {#records} and {/records}'
        throw new RestError(
          'ERR_INTERNAL',
          `${where}: "${object.name}" has no field "${name}" for the tag {${name}}${hint}`,
        )
      }
      fields.add(field)
    }
  }
  return [...fields]
}

/** Fills in a Word template: `{field}`, `{#records}…{/records}` for several, pictures of image fields. */
export async function makeWord(
  object: ObjectModel,
  publication: PublicationModel,
  records: readonly BusinessRecord[],
  documents: DocumentStore | undefined,
): Promise<Buffer> {
  const word = await load()
  const fields = await wordFields(object, publication)
  const spend = pictureBudget()
  const filled: Record<string, unknown>[] = []
  for (const record of records) filled.push(await values(record))
  const data = publication.scope === 'record' ? filled[0] : { records: filled, count: filled.length }
  const plugins = word
    .createDefaultPlugins()
    .map((plugin) => (plugin.contentType === 'text' ? linesPlugin(word) : plugin))
  return new word.TemplateHandler({ plugins }).process(publication.word as Buffer, data as never)

  /** Texts and pictures only: an object of a record must not be taken for markup. */
  async function values(record: BusinessRecord): Promise<Record<string, unknown>> {
    const result: Record<string, unknown> = {}
    for (const field of fields) {
      const value = record[field.name]
      const { name } = baseField(field).type
      if (name === 'image') result[field.name] = await picture(value)
      else result[field.name] = typeof value === 'boolean' ? value : cleanText(field, value)
    }
    return result
  }

  async function picture(id: unknown): Promise<unknown> {
    const found = typeof id === 'string' && id !== '' && documents && (await loadPicture(documents, id, false, spend))
    if (!found) return ''
    const { bytes, mime, width, height, name } = found
    const scale = Math.min(1, pictureSide / Math.max(width, height))
    return {
      _type: 'image',
      source: bytes,
      format: mime,
      width: Math.round(width * scale),
      height: Math.round(height * scale),
      altText: name,
    }
  }
}

/** Texts of several lines; the package's own plug-in puts the second line after whatever follows the tag. */
function linesPlugin({ TextPlugin, officeMarkup, xml }: Word): TemplatePlugin {
  class LinesPlugin extends TextPlugin {
    override simpleTagReplacements(tag: Tag, data: ScopeData): void {
      const value: unknown = data.getScopeData()
      const lines = typeof value === 'string' ? value.split(/\r\n|[\r\n]/) : []
      if (lines.length < 2 || !('xmlTextNode' in tag)) return super.simpleTagReplacements(tag, data)
      const last = officeMarkup.query.containingTextNode(tag.xmlTextNode)
      const [prefix] = last.nodeName.split(':')
      for (const line of lines.slice(0, -1)) {
        const text = xml.create.generalNode(`${prefix}:t`, { childNodes: [xml.create.textNode(line)] })
        xml.modify.insertBefore(text, last)
        officeMarkup.modify.setSpacePreserveAttribute(text)
        xml.modify.insertBefore(xml.create.generalNode(`${prefix}:br`), last)
      }
      tag.xmlTextNode.textContent = lines.at(-1) as string
      officeMarkup.modify.setSpacePreserveAttribute(last)
    }
  }
  return new LinesPlugin()
}
