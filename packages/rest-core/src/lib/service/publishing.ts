import { Readable } from 'node:stream'
import type { TDocumentDefinitions } from 'pdfmake/interfaces.js'
import { RestError } from '../../errors.js'
import type { BusinessRecord, ObjectModel, ReadableField } from '../model/model.js'
import { safeFileName } from '../publications/file-name.js'
import { makePdf, tableDefinition } from '../publications/pdf.js'
import { templatePictures } from '../publications/pictures.js'
import type { PublicationModel, PublishedDocument } from '../publications/publication.js'
import { makeSpreadsheet } from '../publications/spreadsheet.js'
import { csvTable, jsonTable, xmlTable } from '../publications/table.js'
import type { Batches } from '../publications/table.js'
import type { TextTemplate } from '../publications/template-data.js'
import { makeWord, wordFields } from '../publications/word.js'
import { accessOf } from '../rights/access.js'
import type { Access } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects, ObjectName, PublicationRequest } from './business-objects.js'
import { timestamp } from '../fields/temporal.js'
import { checkScope } from './scope.js'
import type { Caller } from '../caller.js'
import { callerOf } from './caller-of.js'
import type { ServiceContext } from './service-context.js'

/** How much a document that is made in memory may hold. */
interface DocumentLimits {
  readonly records: number
  /** Characters in all texts of the records. */
  readonly characters: number
  /** Line breaks in them. */
  readonly lines: number
}

/**
 * Tables as csv, json and xml have no limit: they are streamed. Not specified; chosen so that one call stays below some
 * hundred MiB and some seconds. Laying out pages costs more.
 */
const limitsOfPdf: DocumentLimits = { records: 1000, characters: 4 * 2 ** 20, lines: 100_000 }
const limitsOfOthers: DocumentLimits = { records: 10_000, characters: 16 * 2 ** 20, lines: 200_000 }

/** One publication on its way. */
interface Printing {
  readonly object: ObjectModel
  readonly access: Access
  readonly principal: Principal
  readonly publication: PublicationModel
  readonly rowId: string | undefined
  readonly batches: Batches
  /** Who waits for it. */
  readonly caller: Caller
}

/** Publications: documents from a record, or from the records of a search, as this user may see them. */
export function createPublishing(context: ServiceContext): Pick<BusinessObjects, 'publish'> {
  return { publish }

  async function publish(
    principal: Principal,
    name: ObjectName,
    publicationName: string,
    { rowId, search, signal = search?.signal }: PublicationRequest = {},
  ): Promise<PublishedDocument> {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    access.need('R')
    const publication = object.publications.get(publicationName)
    if (!publication) throw RestError.notFound(`Publication "${publicationName.slice(0, 100)}" of "${object.name}"`)
    if (!access.allows('publications', publicationName))
      throw new RestError('ERR_RIGHT', `You may not use publication "${publicationName}" of "${object.name}".`)
    checkScope(`Publication "${publicationName}"`, publication.scope, object, rowId)
    const { fileName } = publication
    const needed = [...(await neededFields(object, publication)), ...(fileName?.needs.fields ?? [])]
    const fields = needed.filter((field) => !access.hides(object.field(field) as ReadableField))
    const service = context.bind(context.transaction)
    const batches =
      rowId === undefined
        ? await service.search(principal, object.name, { ...search, fields })
        : oneBatch(await service.get(principal, object.name, rowId, { fields }))
    const caller = callerOf(principal, { signal })
    return make({ object, access, principal, publication, rowId, batches, caller })
  }

  async function make(printing: Printing): Promise<PublishedDocument> {
    const { object, access, publication, rowId, batches, caller } = printing
    const { documents } = context
    const { definition, template, word, mime, label } = publication
    const columns = publication.columns.filter((field) => !access.hides(field))
    const { format } = definition
    if (!template && (format === 'csv' || format === 'json' || format === 'xml')) {
      const opened = await openBatches(batches)
      const single = rowId !== undefined
      const table =
        format === 'csv'
          ? csvTable(columns, opened.batches)
          : format === 'json'
            ? jsonTable(columns, opened.batches, single)
            : xmlTable(object, columns, opened.batches, single)
      const content = Readable.from(encode(table), { objectMode: false })
      // A stream that is not read never starts, so it never ends either.
      content.once('close', opened.release)
      return { name: nameOf(printing, opened.first), mime, content }
    }
    const records = await readAll(batches, format === 'pdf' ? limitsOfPdf : limitsOfOthers)
    const document = { name: nameOf(printing, records), mime }
    if (word) return { ...document, content: await makeWord(object, publication, records, { documents, caller }) }
    if (format === 'xlsx')
      return { ...document, content: await makeSpreadsheet(object.pluralLabel, columns, records, caller) }
    const where = `${object.name}.publications.${publication.name}`
    if (!template) {
      const table = await tableDefinition(label, columns, records, { documents, caller })
      return { ...document, content: await makePdf(table, where, { caller, pageNumbers: true }) }
    }
    const text = await render(printing, template, records)
    if (format !== 'json' && format !== 'pdf') return { ...document, content: Buffer.from(text) }
    const value = parseMade(text, where)
    if (format === 'json') return { ...document, content: Buffer.from(text) }
    return { ...document, content: await makePdf(value as TDocumentDefinitions, where, { caller }) }
  }

  async function render(
    { object, principal, publication, rowId, caller }: Printing,
    template: TextTemplate,
    records: readonly BusinessRecord[],
  ): Promise<string> {
    const portable = publication.definition.format === 'pdf'
    return template.render({
      content: publication.scope === 'record' && rowId !== undefined ? (records[0] as BusinessRecord) : records,
      variables: variablesOf(object, publication, principal, context.clock()),
      pictures: await templatePictures(context.documents, template.needs, records, { portable, caller }),
    })
  }

  function nameOf({ object, principal, publication }: Printing, records: readonly BusinessRecord[]): string {
    const { name, fileName, scope, definition } = publication
    const text = fileName?.render({
      content: scope === 'record' ? (records[0] as BusinessRecord) : [],
      variables: variablesOf(object, publication, principal, context.clock()),
      pictures: new Map(),
    })
    return safeFileName(text ?? name, name, definition.format)
  }
}

async function neededFields(object: ObjectModel, publication: PublicationModel): Promise<readonly string[]> {
  if (publication.template) return [...publication.template.needs.fields]
  const fields = publication.word ? await wordFields(object, publication) : publication.columns
  return fields.map(({ name }) => name)
}

function variablesOf(
  { name, label, pluralLabel }: ObjectModel,
  publication: PublicationModel,
  { login, firstname, lastname, email }: Principal,
  now: Date,
): Record<string, unknown> {
  return {
    object: { name, label, pluralLabel },
    publication: { name: publication.name, label: publication.label },
    user: { login, firstname, lastname, email },
    now: timestamp(now),
  }
}

async function* oneBatch(record: BusinessRecord): AsyncGenerator<readonly BusinessRecord[]> {
  yield [record]
}

/** Reads the first batch, so that what is wrong with the search is an error and not a broken answer. */
async function openBatches(batches: Batches) {
  const iterator = batches[Symbol.asyncIterator]()
  const first = await iterator.next()
  const release = (): void => void iterator.return?.()
  return { batches: rest(), first: first.done ? [] : first.value, release }

  async function* rest(): AsyncGenerator<readonly BusinessRecord[]> {
    try {
      for (let item = first; !item.done; item = await iterator.next()) yield item.value
    } finally {
      await iterator.return?.()
    }
  }
}

async function* encode(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) yield Buffer.from(text)
}

async function readAll(batches: Batches, most: DocumentLimits): Promise<readonly BusinessRecord[]> {
  const records: BusinessRecord[] = []
  let [characters, lines] = [0, 0]
  for await (const batch of batches) {
    for (const record of batch)
      for (const value of Object.values(record)) {
        if (typeof value !== 'string') continue
        characters += value.length
        lines += linesOf(value)
      }
    if (records.length + batch.length > most.records) throw tooMany(`finds more than the ${most.records} records`)
    if (characters > most.characters) throw tooMany(`finds more than the ${most.characters} characters`)
    if (lines > most.lines) throw tooMany(`finds more than the ${most.lines} lines of text`)
    records.push(...batch)
  }
  return records
}

function linesOf(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function tooMany(what: string): RestError {
  return new RestError(
    'ERR_BAD_REQUEST',
    `The search ${what} that this document can hold; give filters, or _page and _pagesize.`,
  )
}

function parseMade(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RestError('ERR_INTERNAL', `${where}: the template made no JSON: ${(cause as Error).message}`, { cause })
  }
}
