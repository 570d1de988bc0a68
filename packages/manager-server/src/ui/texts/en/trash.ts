import type { Texts } from '@steward/page-kit/text'

/** What was deleted or replaced. */
export const trash = {
  'trash.title': 'Trash',
  'trash.count': { one: '{count} in trash', other: '{count} in trash' },
  'trash.none': 'The trash is empty',
  'trash.noneText': 'Deleted instances stay here for some days, so that you can restore them.',
  'trash.reason': 'Reason',
  'trash.reason.delete': 'Deleted',
  'trash.reason.reset': 'Replaced by a reset',
  'trash.reason.restore': 'Replaced by a restore',
  'trash.deleted': 'Moved here',
  'trash.expires': 'Kept until',
  'trash.actions': 'Actions',
  'trash.restore': 'Restore',
} as const satisfies Texts
