import type { Texts } from '../text.js'

export const instance = {} as const satisfies Texts
