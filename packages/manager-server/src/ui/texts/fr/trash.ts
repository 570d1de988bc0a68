import type { Text } from '@steward/page-kit/text'
import type { trash as en } from '../en/trash.js'

export const trash: Readonly<Record<keyof typeof en, Text>> = {
  'trash.title': 'Corbeille',
  'trash.count': { one: '{count} dans la corbeille', other: '{count} dans la corbeille' },
  'trash.none': 'La corbeille est vide',
  'trash.noneText': 'Les instances supprimées restent ici quelques jours ; vous pouvez les restaurer.',
  'trash.reason': 'Motif',
  'trash.reason.delete': 'Supprimée',
  'trash.reason.reset': 'Remplacée par une réinitialisation',
  'trash.reason.restore': 'Remplacée par une restauration',
  'trash.deleted': 'Mise à la corbeille',
  'trash.expires': 'Conservée jusqu’au',
  'trash.actions': 'Actions',
  'trash.restore': 'Restaurer',
}
