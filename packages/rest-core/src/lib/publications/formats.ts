import type { PublicationFormat } from './publication.js'

/** How a format is made. */
export interface Format {
  /** Media type without parameters; texts are UTF-8. */
  readonly mime: string
  /** It may be a table of fields, without a template. */
  readonly table: boolean
  /** It may be a Handlebars template. */
  readonly text: boolean
  /** It is read by people: labels in place of codes, and no row ids unless asked for. */
  readonly people: boolean
  /** Optional package that makes it. */
  readonly engine?: string
}

export const formats: Readonly<Record<PublicationFormat, Format>> = {
  html: { mime: 'text/html', table: false, text: true, people: true },
  md: { mime: 'text/markdown', table: false, text: true, people: true },
  txt: { mime: 'text/plain', table: false, text: true, people: true },
  csv: { mime: 'text/csv', table: true, text: true, people: true },
  json: { mime: 'application/json', table: true, text: true, people: false },
  xml: { mime: 'application/xml', table: true, text: true, people: false },
  docx: {
    mime: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    table: false,
    text: false,
    people: true,
    engine: 'easy-template-x',
  },
  xlsx: {
    mime: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    table: true,
    text: false,
    people: true,
    engine: 'write-excel-file',
  },
  pdf: { mime: 'application/pdf', table: true, text: true, people: true, engine: 'pdfmake' },
}
