import type { Text, TextKey } from './en.js'

export const fr: Readonly<Record<TextKey, Text>> = {
  'nav.instances': 'Instances',
  'nav.monitor': 'Surveillance',
  'nav.operations': 'Opérations',
  'nav.requests': 'Demandes',
  'nav.history': 'Historique',
  'nav.terminal': 'Terminal',
  'page.notFound': 'Cette page n’existe pas.',
}
