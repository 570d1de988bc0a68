import type { Texts } from '../text.js'

export const monitor = {} as const satisfies Texts
