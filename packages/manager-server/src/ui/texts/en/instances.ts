import type { Texts } from '../text.js'

export const instances = {} as const satisfies Texts
