import type { monitor as en } from '../en/monitor.js'
import type { Text } from '../text.js'

export const monitor: Readonly<Record<keyof typeof en, Text>> = {}
