import type { Texts } from '../text.js'

export const create = {} as const satisfies Texts
