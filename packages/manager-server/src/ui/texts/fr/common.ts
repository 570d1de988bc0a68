import type { Text } from '@steward/page-kit/text'
import type { common as en } from '../en/common.js'

export const common: Readonly<Record<keyof typeof en, Text>> = {
  'button.refresh': 'Actualiser',
  'button.save': 'Enregistrer',
  'button.change': 'Modifier',
  'off.terminal': 'Le terminal est désactivé',
  'off.register': 'L’inscription libre est désactivée',
  'off.text': 'Pour l’activer, ajoutez cette ligne à config.sh sur le serveur :',
  'failure.network': 'Le serveur ne répond pas.',
  'failure.output': 'Sortie',
  'failure.command': 'Sur le serveur, exécutez :',
  'status.started': 'En marche',
  'status.starting': 'Démarrage',
  'status.degraded': 'Dégradée',
  'status.stopped': 'Arrêtée',
  'status.crashed': 'Plantée',
  'status.asleep': 'En veille',
  'status.suspended': 'En pause',
  'status.unknown': 'Inconnu',
}
