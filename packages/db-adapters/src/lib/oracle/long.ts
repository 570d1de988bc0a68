import type { ColumnType } from '@steward/rest-core'

/** Most characters of a text that is kept as a varchar2, which has 4,000 bytes: 4 for each character. */
export const longestShort = 1_000

/** Whether texts of this type are kept as CLOBs. */
export function isLong(type: ColumnType): boolean {
  switch (type.kind) {
    case 'text':
    case 'list':
    case 'json':
    case 'words':
      return true
    default:
      return type.kind === 'string' && type.length > longestShort
  }
}
