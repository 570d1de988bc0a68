import type { Text } from '@steward/page-kit/text'
import type { shell as en } from '../en/shell.js'

export const shell: Readonly<Record<keyof typeof en, Text>> = {
  'nav.instances': 'Instances',
  'nav.monitor': 'Surveillance',
  'nav.requests': 'Demandes',
  'nav.terminal': 'Terminal',
  'shell.offline': 'Connexion perdue. Nouvelle tentative… Les informations affichées peuvent être périmées.',
  'account.abilities': 'Droits : {abilities}',
  'signin.cookies': 'Votre navigateur bloque les cookies de ce site. Autorisez-les, puis reconnectez-vous.',
  'signin.tooMany': 'Trop de mots de passe incorrects. Réessayez dans quelques minutes.',
  'page.notFound': 'Cette page n’existe pas.',
  'page.notFoundText': 'L’adresse est peut-être erronée, ou ce qu’elle montrait n’existe plus.',
  'page.toInstances': 'Aller aux instances',
  'problems.count': { one: '{count} problème du gestionnaire', other: '{count} problèmes du gestionnaire' },
  'problems.title': 'Le gestionnaire ne peut pas faire tout son travail',
  'problems.show': 'Afficher le gestionnaire',
}
