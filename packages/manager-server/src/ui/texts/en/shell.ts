import type { Texts } from '@steward/page-kit/text'

export const shell = {
  'nav.instances': 'Instances',
  'nav.monitor': 'Monitor',
  'nav.operations': 'Operations',
  'nav.requests': 'Requests',
  'nav.history': 'History',
  'nav.terminal': 'Terminal',
  'shell.title': 'Instances manager',
  'shell.offline': 'No connection to the server. What you see may be out of date; it is tried again and again.',
  'page.notFound': 'There is no such page.',
  'page.notFoundText': 'The address may be mistyped, or what it showed is gone.',
  'page.toInstances': 'To the instances',
} as const satisfies Texts
