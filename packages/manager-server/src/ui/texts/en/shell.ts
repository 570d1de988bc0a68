import type { Texts } from '@steward/page-kit/text'

export const shell = {
  'nav.instances': 'Instances',
  'nav.monitor': 'Monitor',
  'nav.requests': 'Requests',
  'nav.terminal': 'Terminal',
  'shell.offline': 'Connection lost. Retrying … What you see may be out of date.',
  'account.abilities': 'Abilities: {abilities}',
  'signin.cookies': 'Your browser blocks cookies of this site. Allow them, then sign in again.',
  'signin.tooMany': 'Too many wrong passwords. Try again in a few minutes.',
  'page.notFound': 'Page not found',
  'page.notFoundText': 'Check the address. The page may have been removed.',
  'page.toInstances': 'Show instances',
  'problems.count': { one: '{count} problem of the manager', other: '{count} problems of the manager' },
  'problems.title': 'The manager cannot do all of its work',
  'problems.show': 'Show the manager',
} as const satisfies Texts
