import type { create as en } from '../en/create.js'
import type { Text } from '../text.js'

export const create: Readonly<Record<keyof typeof en, Text>> = {}
