// A thread that lays out PDFs. Node also runs it from source: of this package it imports types only.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { Content, TDocumentDefinitions, TFontDictionary } from 'pdfmake/interfaces.js'

/** What the thread is asked for; `number` is chosen by the asker and names the request in the answer. */
export interface PdfRequest {
  readonly number: number
  readonly definition: TDocumentDefinitions
  /** Adds `1 / 3` below each page; a function in the definition could not cross threads. */
  readonly pageNumbers: boolean
}

export type PdfAnswer =
  | { readonly number: number; readonly pdf: Uint8Array }
  /** Why there is none. */
  | { readonly number: number; readonly failed: string }

type PdfMake = typeof import('pdfmake') & {
  setUrlAccessPolicy(allows: (url: string) => boolean): void
  setLocalAccessPolicy(allows: (path: string) => boolean): void
}

let pdfMake: PdfMake | undefined

parentPort?.on('message', (request: PdfRequest) => void answer(request))

async function answer({ number, definition, pageNumbers }: PdfRequest): Promise<void> {
  try {
    pdfMake ??= loadPdfMake()
    const whole = pageNumbers ? { ...definition, footer: pageNumber } : definition
    const pdf = new Uint8Array(await pdfMake.createPdf(whole).getBuffer())
    parentPort?.postMessage({ number, pdf } satisfies PdfAnswer, [pdf.buffer])
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error)
    parentPort?.postMessage({ number, failed } satisfies PdfAnswer)
  }
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
