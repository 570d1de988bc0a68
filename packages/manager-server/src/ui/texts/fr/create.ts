import type { Text } from '@steward/page-kit/text'
import type { create as en } from '../en/create.js'

export const create: Readonly<Record<keyof typeof en, Text>> = {
  'create.title': 'Nouvelle instance',
  'create.name': 'Nom',
  'create.nameAbout': '3 à 20 lettres et chiffres ; laissé vide, il est choisi automatiquement',
  'create.origin': 'À partir de',
  'create.ofVersion': 'Une version',
  'create.ofInstance': 'Une autre instance, avec ses données',
  'create.defaultVersion': 'La version par défaut',
  'create.cloned': 'Instance à cloner',
  'create.owner': 'Propriétaire, et plus',
  'create.submit': 'Créer',
  'create.show': 'Afficher {name}',
}
