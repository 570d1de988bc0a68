import type { Text } from '@steward/page-kit/text'
import type { trash as en } from '../en/trash.js'

export const trash: Readonly<Record<keyof typeof en, Text>> = {
  'trash.title': 'Corbeille',
  'trash.count': { one: '{count} dans la corbeille', other: '{count} dans la corbeille' },
  'trash.none': 'La corbeille est vide',
  'trash.noneText': 'Les instances supprimées restent ici quelques jours ; vous pouvez les restaurer.',
  'trash.reason.delete': 'Supprimée',
  'trash.reason.reset': 'Remplacée par une réinitialisation',
  'trash.reason.restore': 'Remplacée par une restauration',
  'trash.deleted': 'Supprimée',
  'trash.by': 'Par',
  'trash.expires': 'Restaurable jusqu’au',
  'trash.size': 'Taille',
  'trash.actions': 'Actions',
  'trash.restore': 'Restaurer',
  'trash.purge': 'Supprimer maintenant',
  'trash.moved': { one: '« {name} » est à la corbeille.', other: '{count} instances sont à la corbeille.' },
  'trash.undo': 'Annuler',
  'trash.restoring': { one: 'Restauration de « {name} »…', other: 'Restauration de {count} instances…' },
  'trash.restored': { one: '« {name} » est restaurée.', other: '{count} instances sont restaurées.' },
}
