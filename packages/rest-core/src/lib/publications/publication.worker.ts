// A thread that makes documents which take long. Node also runs it from source: of this package it imports types only.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { Content, TDocumentDefinitions, TFontDictionary } from 'pdfmake/interfaces.js'
import type { SheetData } from 'write-excel-file/node'

/** Functions cannot cross threads, so what they would say is said by words. */
export type DocumentRequest =
  /** `pageNumbers` adds `1 / 3` below each page. */
  | { readonly kind: 'pdf'; readonly definition: TDocumentDefinitions; readonly pageNumbers: boolean }
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

/** `number` is chosen by the asker, and names the request in the answer. */
export type Numbered<T> = T & { readonly number: number }

export type DocumentAnswer =
  | { readonly content: Uint8Array<ArrayBuffer> }
  /** Why there is none. */
  | { readonly failed: string }

const cellTypes = { String, Number, Boolean, Date } as const

type PdfMake = typeof import('pdfmake') & {
  setUrlAccessPolicy(allows: (url: string) => boolean): void
  setLocalAccessPolicy(allows: (path: string) => boolean): void
}

let pdfMake: PdfMake | undefined

parentPort?.on('message', (request: Numbered<DocumentRequest>) => void answer(request))

async function answer({ number, ...request }: Numbered<DocumentRequest>): Promise<void> {
  try {
    const content = new Uint8Array(await (request.kind === 'pdf' ? makePdf(request) : makeSpreadsheet(request)))
    parentPort?.postMessage({ number, content } satisfies Numbered<DocumentAnswer>, [content.buffer])
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error)
    parentPort?.postMessage({ number, failed } satisfies Numbered<DocumentAnswer>)
  }
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
