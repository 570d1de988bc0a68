import type { Text } from '@steward/page-kit/text'
import type { shell as en } from '../en/shell.js'

export const shell: Readonly<Record<keyof typeof en, Text>> = {
  'nav.instances': 'Instances',
  'nav.monitor': 'Surveillance',
  'nav.operations': 'Opérations',
  'nav.requests': 'Demandes',
  'nav.history': 'Historique',
  'nav.terminal': 'Terminal',
  'shell.title': 'Gestionnaire d’instances',
  'shell.offline': 'Connexion perdue. Nouvelle tentative… Les informations affichées peuvent être périmées.',
  'page.notFound': 'Cette page n’existe pas.',
  'page.notFoundText': 'L’adresse est peut-être erronée, ou ce qu’elle montrait n’existe plus.',
  'page.toInstances': 'Aller aux instances',
}
