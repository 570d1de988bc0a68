import type { instances as en } from '../en/instances.js'
import type { Text } from '../text.js'

export const instances: Readonly<Record<keyof typeof en, Text>> = {}
