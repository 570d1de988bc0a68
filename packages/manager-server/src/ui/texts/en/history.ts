import type { Texts } from '@steward/page-kit/text'

/** What was done. */
export const history = {
  'history.at': 'When',
  'history.action': 'Action',
  'history.result': 'Result',
  'history.actor': 'Actor',
  'history.duration': 'Duration',
  'history.message': 'Message',
  'history.search': 'Search by action, instance, user, address …',
  'history.anyResult': 'Any result',
  'history.none': 'No matching entries',
  'history.more': 'Show older entries',
  'history.details': 'Details',
  'history.verify': 'Verify',
  'history.whole': 'History is intact',
  'history.ok': 'Succeeded',
  'history.failed': 'Failed',
  'history.rolled-back': 'Rolled back',
  'history.attention': 'Needs attention',
  'history.refused': 'Refused',
  'history.by.cli': 'Command line',
  'history.by.api': 'API or pages',
  'history.by.schedule': 'Schedule',
} as const satisfies Texts
