import type { Texts } from '@steward/page-kit/text'

export const shell = {
  'nav.instances': 'Instances',
  'nav.monitor': 'Monitor',
  'nav.operations': 'Operations',
  'nav.requests': 'Requests',
  'nav.history': 'History',
  'nav.terminal': 'Terminal',
  'shell.title': 'Instances manager',
  'shell.offline': 'Connection lost. Retrying … What you see may be out of date.',
  'page.notFound': 'Page not found',
  'page.notFoundText': 'Check the address. The page may have been removed.',
  'page.toInstances': 'Show instances',
} as const satisfies Texts
