import type { Texts } from '../text.js'

export const history = {} as const satisfies Texts
