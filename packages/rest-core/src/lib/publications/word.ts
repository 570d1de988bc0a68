import { RestError } from '../../errors.js'
import type { DocumentStore } from '../documents/document-store.js'
import { baseField } from '../model/model.js'
import type { BusinessRecord, ObjectModel, ReadableField } from '../model/model.js'
import type { Caller } from '../caller.js'
import { optionalPackage } from './optional-package.js'
import { loadPicture, pictureBudget } from './pictures.js'
import type { PublicationModel } from './publication.js'
import { cleanText } from './table.js'
import { makeInThread } from './publication-thread.js'
import type { WordData, WordPicture } from './publication.worker.js'
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
  { documents, caller }: { readonly documents: DocumentStore | undefined; readonly caller: Caller },
): Promise<Buffer> {
  const fields = await wordFields(object, publication)
  const spend = pictureBudget()
  const filled: WordData[] = []
  for (const record of records) filled.push(await values(record))
  const data = publication.scope === 'record' ? (filled[0] as WordData) : { records: filled, count: filled.length }
  const answer = await makeInThread({ kind: 'docx', template: publication.word as Uint8Array, data }, caller)
  if ('content' in answer) return Buffer.from(answer.content.buffer)
  const where = `${object.name}.publications.${publication.name}`
  throw new RestError('ERR_INTERNAL', `${where}: the Word document could not be created: ${answer.failed}`)

  /** Texts and pictures only: an object of a record must not be taken for markup. */
  async function values(record: BusinessRecord): Promise<WordData> {
    const result: Record<string, WordData[string]> = {}
    for (const field of fields) {
      const value = record[field.name]
      const { name } = baseField(field).type
      if (name === 'image') result[field.name] = await picture(value)
      else result[field.name] = typeof value === 'boolean' ? value : cleanText(field, value)
    }
    return result
  }

  async function picture(id: unknown): Promise<WordPicture | ''> {
    const found =
      typeof id === 'string' &&
      id !== '' &&
      documents &&
      (await loadPicture(documents, id, { thumbnail: false, caller, spend }))
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
