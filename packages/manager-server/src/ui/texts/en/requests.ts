import type { Texts } from '../text.js'

export const requests = {} as const satisfies Texts
