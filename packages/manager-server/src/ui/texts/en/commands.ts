import type { Texts } from '@steward/page-kit/text'

export const commands = {
  'keys.title': 'Keyboard shortcuts',
  'keys.palette': 'Search and commands',
  'keys.search': 'Search this list',
  'keys.create': 'Create an instance',
  'keys.rows': 'Next and previous row',
  'keys.select': 'Select the row',
  'keys.goInstances': 'Show instances',
  'keys.goMonitor': 'Show the monitor',
  'keys.goActivity': 'Show the activity',
  'keys.run': 'Run, in the palette',
  'keys.form': 'Show the form first, in the palette',
  'palette.page': 'Page',
  'palette.instance': 'Instance',
  'palette.selected': '{count} selected',
} as const satisfies Texts
