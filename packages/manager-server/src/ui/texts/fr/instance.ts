import type { instance as en } from '../en/instance.js'
import type { Text } from '../text.js'

export const instance: Readonly<Record<keyof typeof en, Text>> = {}
