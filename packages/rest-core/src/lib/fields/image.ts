import { documentType } from './document-id.js'

/** A stored picture, by its id. */
export const imageType = documentType('image', 20)
