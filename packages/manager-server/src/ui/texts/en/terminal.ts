import type { Texts } from '../text.js'

export const terminal = {} as const satisfies Texts
