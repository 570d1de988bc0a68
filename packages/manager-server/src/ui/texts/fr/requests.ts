import type { requests as en } from '../en/requests.js'
import type { Text } from '../text.js'

export const requests: Readonly<Record<keyof typeof en, Text>> = {}
