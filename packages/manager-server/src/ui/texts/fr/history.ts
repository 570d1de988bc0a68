import type { Text } from '@steward/page-kit/text'
import type { history as en } from '../en/history.js'

export const history: Readonly<Record<keyof typeof en, Text>> = {
  'history.action': 'Action',
  'history.result': 'Résultat',
  'history.duration': 'Durée',
  'history.anyResult': 'Tous les résultats',
  'history.none': 'Aucune entrée correspondante',
  'history.more': 'Afficher les plus anciennes',
  'history.all': 'Toute l’activité',
  'history.ok': 'Fait',
  'history.failed': 'Échec',
  'history.rolled-back': 'Annulé',
  'history.attention': 'À examiner',
  'history.refused': 'Refusé',
  'history.by.cli': 'Ligne de commande',
  'history.by.api': 'API ou pages',
  'history.by.schedule': 'Planification',
}
