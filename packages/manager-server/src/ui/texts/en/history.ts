import type { Texts } from '@steward/page-kit/text'

/** What was done. */
export const history = {
  'history.at': 'When',
  'history.action': 'Action',
  'history.result': 'Result',
  'history.actor': 'Who, from where',
  'history.duration': 'Took',
  'history.message': 'What it said',
  'history.search': 'Search by action, instance, person, address …',
  'history.anyResult': 'Any result',
  'history.none': 'Nothing like that was done',
  'history.more': 'Show older ones',
  'history.details': 'Details',
  'history.verify': 'Verify',
  'history.whole': 'Nobody changed it',
  'history.ok': 'Done',
  'history.failed': 'Failed',
  'history.rolled-back': 'Undone',
  'history.attention': 'Needs attention',
  'history.refused': 'Refused',
  'history.by.cli': 'Command line',
  'history.by.api': 'API or pages',
  'history.by.schedule': 'Timer',
} as const satisfies Texts
