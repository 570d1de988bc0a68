import type { Text } from '@steward/page-kit/text'
import type { create as en } from '../en/create.js'

export const create: Readonly<Record<keyof typeof en, Text>> = {
  'create.title': 'Nouvelle instance',
  'create.name': 'Nom',
  'create.origin': 'Partir de',
  'create.cloned': 'Instance à cloner',
  'create.submit': 'Créer',
  'create.show': 'Afficher {name}',
  'create.another': 'En créer une autre',
  'create.from.add': 'Modèle',
  'create.from.clone': 'Copie d’une instance',
  'create.from.restore': 'Sauvegarde',
  'create.isDefault': '{value} (par défaut)',
  'create.taken': 'Une instance nommée « {name} » existe déjà.',
  'create.running': '{name} fonctionne',
  'create.stopped': '{name} est prête, non démarrée',
  'create.took': 'En {time}',
  'create.open': 'Ouvrir',
  'create.sameUsers': 'Les utilisateurs et mots de passe sont ceux de l’original.',
  'create.administrator': 'Afficher l’administrateur',
  'create.password': 'Pour afficher le mot de passe de l’administrateur, exécutez sur le serveur :',
}
