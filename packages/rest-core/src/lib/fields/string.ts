import { textType } from './text-value.js'

/** One line of text. */
export const stringType = textType({ name: 'string', number: 3 })
