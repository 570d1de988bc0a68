import type { shell as en } from '../en/shell.js'
import type { Text } from '../text.js'

export const shell: Readonly<Record<keyof typeof en, Text>> = {
  'nav.main': 'Principale',
  'nav.instances': 'Instances',
  'nav.monitor': 'Surveillance',
  'nav.operations': 'Opérations',
  'nav.requests': 'Demandes',
  'nav.history': 'Historique',
  'nav.terminal': 'Terminal',
  'nav.menu': 'Menu',
  'shell.skip': 'Aller au contenu',
  'shell.title': 'Gestionnaire d’instances',
  'shell.preferences': 'Langue et thème',
  'shell.language': 'Langue',
  'shell.theme': 'Thème',
  'theme.system': 'Comme le système',
  'theme.light': 'Clair',
  'theme.dark': 'Sombre',
  'shell.actor': 'Connecté : {actor}',
  'shell.offline': 'Pas de connexion au serveur. Ce qui est affiché peut être périmé ; de nouveaux essais sont faits.',
  'page.notFound': 'Cette page n’existe pas.',
  'page.notFoundText': 'L’adresse est peut-être erronée, ou ce qu’elle montrait n’existe plus.',
  'page.toInstances': 'Vers les instances',
  'page.failed': 'Cette page n’a pas pu être affichée.',
  'page.failedText': 'Le gestionnaire a peut-être été mis à jour entre-temps : rechargez la page.',
  'page.reload': 'Recharger',
}
