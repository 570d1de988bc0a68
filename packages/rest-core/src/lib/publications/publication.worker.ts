// A thread that makes documents which take long. Node also runs it from source: of this package it imports types only.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { ScopeData, Tag, TemplatePlugin } from 'easy-template-x'
import type { Content, TDocumentDefinitions, TFontDictionary } from 'pdfmake/interfaces.js'
import type { SheetData } from 'write-excel-file/node'

/** Functions cannot cross threads, so what they would say is said by words. */
export type DocumentRequest =
  /** `pageNumbers` adds `1 / 3` below each page. */
  | { readonly kind: 'pdf'; readonly definition: TDocumentDefinitions; readonly pageNumbers: boolean }
  /** `data` holds texts and pictures only: an object of a record must not be taken for markup. */
  | { readonly kind: 'docx'; readonly template: Uint8Array; readonly data: WordData }
  | { readonly kind: 'xlsx'; readonly rows: readonly (readonly (SheetCell | null)[])[]; readonly options: SheetOptions }

export interface SheetCell {
  readonly value: string | number | boolean | Date
  readonly type: keyof typeof cellTypes
  readonly format?: string
  readonly fontWeight?: 'bold'
}

export interface SheetOptions {
  readonly sheet: string
  readonly stickyRowsCount: number
  readonly columns: { width: number }[]
}

/** What the tags of a Word template stand for. */
export interface WordData {
  readonly [tag: string]: string | number | boolean | WordPicture | readonly WordData[]
}

export interface WordPicture {
  readonly _type: 'image'
  readonly source: Uint8Array
  readonly format: string
  readonly width: number
  readonly height: number
  readonly altText: string
}

export type DocumentAnswer =
  | { readonly content: Uint8Array<ArrayBuffer> }
  /** Why there is none. */
  | { readonly failed: string }

const cellTypes = { String, Number, Boolean, Date } as const

type Word = typeof import('easy-template-x')

type PdfMake = typeof import('pdfmake') & {
  setUrlAccessPolicy(allows: (url: string) => boolean): void
  setLocalAccessPolicy(allows: (path: string) => boolean): void
}

let pdfMake: PdfMake | undefined

parentPort?.on('message', (request: DocumentRequest) => void answer(request))

async function answer(request: DocumentRequest): Promise<void> {
  try {
    const content = new Uint8Array(await make(request))
    parentPort?.postMessage({ content } satisfies DocumentAnswer, [content.buffer])
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error)
    parentPort?.postMessage({ failed } satisfies DocumentAnswer)
  }
}

function make(request: DocumentRequest): Promise<Buffer> {
  switch (request.kind) {
    case 'pdf':
      return makePdf(request)
    case 'docx':
      return makeWord(request)
    case 'xlsx':
      return makeSpreadsheet(request)
  }
}

async function makeWord({ template, data }: DocumentRequest & { kind: 'docx' }): Promise<Buffer> {
  const word = await import('easy-template-x')
  const plugins = word
    .createDefaultPlugins()
    .map((plugin) => (plugin.contentType === 'text' ? linesPlugin(word) : plugin))
  return new word.TemplateHandler({ plugins }).process(Buffer.from(template), withBuffers(data) as never)
}

/** Pictures lose their type on the way here. */
function withBuffers(data: WordData): unknown {
  const entries = Object.entries(data).map(([tag, value]) => {
    if (Array.isArray(value)) return [tag, value.map(withBuffers)]
    if (typeof value !== 'object' || !('source' in value)) return [tag, value]
    return [tag, { ...value, source: Buffer.from(value.source) }]
  })
  return Object.fromEntries(entries) as unknown
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

function makePdf({ definition, pageNumbers }: DocumentRequest & { kind: 'pdf' }): Promise<Buffer> {
  pdfMake ??= loadPdfMake()
  return pdfMake.createPdf(pageNumbers ? { ...definition, footer: pageNumber } : definition).getBuffer()
}

async function makeSpreadsheet({ rows, options }: DocumentRequest & { kind: 'xlsx' }): Promise<Buffer> {
  const { default: write } = await import('write-excel-file/node')
  const data = rows.map((row) => row.map((cell) => cell && { ...cell, type: cellTypes[cell.type] })) as SheetData
  return write(data, options).toBuffer()
}

/** An instance of our own, that opens nothing but its fonts: neither files nor addresses that a record could name. */
function loadPdfMake(): PdfMake {
  const require = createRequire(import.meta.url)
  const shared = require('pdfmake') as PdfMake
  const fonts = require('pdfmake/fonts/Roboto.js') as TFontDictionary
  const own = new (shared.constructor as new () => PdfMake)()
  const files = new Set(Object.values(fonts['Roboto'] ?? {}))
  own.setFonts(fonts)
  own.setUrlAccessPolicy(() => false)
  own.setLocalAccessPolicy((path) => files.has(path))
  return own
}

function pageNumber(page: number, pages: number): Content {
  return { text: `${page} / ${pages}`, alignment: 'center', margin: [0, 10] }
}
