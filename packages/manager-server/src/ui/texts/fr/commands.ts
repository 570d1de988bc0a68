import type { Text } from '@steward/page-kit/text'
import type { commands as en } from '../en/commands.js'

export const commands: Readonly<Record<keyof typeof en, Text>> = {
  'keys.title': 'Raccourcis clavier',
  'keys.palette': 'Recherche et commandes',
  'keys.search': 'Rechercher dans cette liste',
  'keys.create': 'Créer une instance',
  'keys.rows': 'Ligne suivante et précédente',
  'keys.select': 'Sélectionner la ligne',
  'keys.goInstances': 'Afficher les instances',
  'keys.goMonitor': 'Afficher la surveillance',
  'keys.goActivity': 'Afficher l’activité',
  'keys.run': 'Exécuter, dans la palette',
  'keys.form': 'Afficher d’abord le formulaire, dans la palette',
  'palette.page': 'Page',
  'palette.instance': 'Instance',
  'palette.selected': '{count} sélectionnées',
}
