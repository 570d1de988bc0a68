import type { terminal as en } from '../en/terminal.js'
import type { Text } from '../text.js'

export const terminal: Readonly<Record<keyof typeof en, Text>> = {}
