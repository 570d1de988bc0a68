import type { DocumentInfo } from './document-store.js'

/** As a value of a document field: a content that is stored already, for this record. No request can hold one. */
export class StoredDocument {
  readonly info: DocumentInfo

  constructor(info: DocumentInfo) {
    this.info = info
  }
}
