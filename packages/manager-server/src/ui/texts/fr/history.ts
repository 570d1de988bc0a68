import type { history as en } from '../en/history.js'
import type { Text } from '../text.js'

export const history: Readonly<Record<keyof typeof en, Text>> = {}
