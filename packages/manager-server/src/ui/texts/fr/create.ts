import type { Text } from '@steward/page-kit/text'
import type { create as en } from '../en/create.js'

export const create: Readonly<Record<keyof typeof en, Text>> = {
  'create.title': 'Nouvelle instance',
  'create.name': 'Nom',
  'create.nameAbout': '3 à 20 lettres et chiffres ; laissé vide, il est choisi automatiquement',
  'create.origin': 'Partir de',
  'create.ofVersion': 'Un modèle',
  'create.ofInstance': 'Copie d’une instance',
  'create.defaultVersion': 'La version par défaut',
  'create.cloned': 'Instance à cloner',
  'create.owner': 'Plus d’options',
  'create.submit': 'Créer',
  'create.show': 'Afficher {name}',
}
