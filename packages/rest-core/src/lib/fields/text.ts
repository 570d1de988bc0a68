import { textType } from './text-value.js'

/** Text of any length. */
export const longTextType = textType({ name: 'text', number: 13, long: true })
