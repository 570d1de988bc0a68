import type { Readable } from 'node:stream'
import type { Scope } from '../actions/action.js'
import type { ReadableField } from '../model/model.js'
import type { TextTemplate } from './template-data.js'

/** What a publication makes. */
export type PublicationFormat = 'html' | 'md' | 'txt' | 'csv' | 'json' | 'xml' | 'docx' | 'xlsx' | 'pdf'

/** A publication template of an object. Source: docs/spec/rest-service.md, "Publication template". */
export interface PublicationDefinition {
  /** For people; default: the name. */
  readonly label?: string
  readonly help?: string
  /** Default `record`. */
  readonly scope?: Scope
  readonly format: PublicationFormat
  /**
   * Handlebars template of a text format, or of the JSON document definition of a PDF (pdfmake). Values are escaped as
   * the format needs it.
   */
  readonly template?: string
  /**
   * In place of `template`: the file that holds it; for `docx` a Word document with `{tags}`. A relative path starts at
   * the file of the definition (YAML, JSON); code gives an absolute path or a `file:` URL.
   */
  readonly file?: string | URL
  /**
   * Columns of a `csv`, `json`, `xml`, `xlsx` or `pdf` without template: a table of the records. Default: the fields of a
   * search; without the row id, documents and images where people read it (csv, xlsx, pdf).
   */
  readonly fields?: readonly string[]
  /** Name of the file, a Handlebars template; default `<publication>.<format>`. */
  readonly fileName?: string
  /** Groups whose users may use it; default: everybody who may read the object and whose grants do not leave it out. */
  readonly groups?: readonly string[]
}

/** A publication with everything that can be answered from its definition alone. */
export interface PublicationModel {
  readonly name: string
  readonly label: string
  readonly scope: Scope
  /** Media type of what it makes, without parameters; texts are UTF-8. */
  readonly mime: string
  readonly definition: PublicationDefinition
  /** What fills in the records; absent: a Word document does, or it is a table. */
  readonly template: TextTemplate | undefined
  /** The Word document. */
  readonly word: Uint8Array | undefined
  /** Columns of a table. */
  readonly columns: readonly ReadableField[]
  readonly fileName: TextTemplate | undefined
}

/** What a publication made. */
export interface PublishedDocument {
  /** File name. */
  readonly name: string
  /** Media type without parameters; texts are UTF-8. */
  readonly mime: string
  readonly content: Uint8Array | Readable
}
