import type { Texts } from '@steward/page-kit/text'

/** What was deleted or replaced. */
export const trash = {
  'trash.title': 'Trash',
  'trash.count': { one: '{count} in trash', other: '{count} in trash' },
  'trash.none': 'The trash is empty',
  'trash.noneText': 'Deleted instances stay here for some days, so that you can restore them.',
  'trash.reason.delete': 'Deleted',
  'trash.reason.reset': 'Replaced by a reset',
  'trash.reason.restore': 'Replaced by a restore',
  'trash.deleted': 'Deleted',
  'trash.by': 'By',
  'trash.expires': 'Restorable until',
  'trash.size': 'Size',
  'trash.actions': 'Actions',
  'trash.restore': 'Restore',
  'trash.purge': 'Delete now',
  'trash.moved': { one: '“{name}” moved to the trash.', other: '{count} instances moved to the trash.' },
  'trash.undo': 'Undo',
  'trash.restoring': { one: 'Restoring “{name}” …', other: 'Restoring {count} instances …' },
  'trash.restored': { one: '“{name}” is restored.', other: '{count} instances are restored.' },
} as const satisfies Texts
