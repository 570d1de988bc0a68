import type { DocumentContent, BusinessObjects, ObjectModel, Principal } from '@steward/rest-core'
import type { StoredDocument } from './export-records.js'

/** Reads documents of records while they are exported. */
export interface DocumentReader {
  /** With its content as base64; no two documents are in memory at the same time. */
  inline(object: ObjectModel, document: StoredDocument): Promise<{ name: string; mime: string; content: string }>
  /** With its content to be opened. */
  open(object: ObjectModel, document: StoredDocument): Promise<DocumentContent>
}

export function createDocumentReader(service: BusinessObjects, principal: Principal): DocumentReader {
  return {
    async inline({ name: object }, { rowId, field }) {
      const record = await service.get(principal, object, rowId, {
        fields: [field.name],
        inlineDocuments: [field.name],
      })
      const { name, mime, content } = record[field.name] as { name: string; mime: string; content: string }
      return { name, mime, content }
    },
    open: ({ name: object }, { rowId, field }) => service.document(principal, object, rowId, field.name),
  }
}
