import { textType } from './text-value.js'

/** Long text. */
export const longTextType = textType({ name: 'text', number: 13, long: true })
