import type { Text } from '@steward/page-kit/text'
import type { terminal as en } from '../en/terminal.js'

export const terminal: Readonly<Record<keyof typeof en, Text>> = {
  'terminal.title': 'Terminal',
  'terminal.titleOf': 'Terminal de {name}',
  'terminal.input': 'Saisie du terminal',
  'terminal.is.connecting': 'Connexion',
  'terminal.is.open': 'Ouvert',
  'terminal.is.ended': 'Fermé',
  'terminal.is.failed': 'Échec de l’ouverture',
  'terminal.readOut': 'Mode lecteur d’écran',
  'terminal.again': 'Se reconnecter',
  'terminal.close': 'Fermer',
  'terminal.end.over': 'L’interpréteur de commandes s’est terminé.',
  'terminal.end.idle': 'Il a été fermé parce que rien n’a été saisi depuis longtemps.',
  'terminal.end.max': 'Il a été fermé parce qu’il était ouvert depuis trop longtemps.',
  'terminal.end.signedOut': 'Il a été fermé parce que vous n’êtes plus connecté.',
  'terminal.end.server': 'Il a été fermé parce que le serveur a été arrêté.',
  'terminal.end.lost': 'La connexion a été perdue, et l’interpréteur de commandes a été arrêté.',
  'terminal.about':
    'L’historique indique qui ouvre un terminal, quand et d’où. Ctrl+Maj+L le quitte pour la page, Ctrl+Maj+C copie la sélection.',
}
