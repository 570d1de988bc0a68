import type { Texts } from '@steward/page-kit/text'

/** What was done. */
export const history = {
  'history.action': 'Action',
  'history.result': 'Result',
  'history.duration': 'Duration',
  'history.anyResult': 'Any result',
  'history.none': 'No matching entries',
  'history.more': 'Show older entries',
  'history.all': 'All activity',
  'history.ok': 'Succeeded',
  'history.failed': 'Failed',
  'history.rolled-back': 'Rolled back',
  'history.attention': 'Needs attention',
  'history.refused': 'Refused',
  'history.by.cli': 'Command line',
  'history.by.api': 'API or pages',
  'history.by.schedule': 'Schedule',
} as const satisfies Texts
