import { documentType } from './document-id.js'

/** A stored file, by its id. */
export const documentFieldType = documentType('document', 17)
