import type { Texts } from '@steward/page-kit/text'

/** The dialog that makes an instance. */
export const create = {
  'create.title': 'New instance',
  'create.name': 'Name',
  'create.nameAbout': '3 to 20 letters and digits; left empty, one is made up',
  'create.origin': 'Made of',
  'create.ofVersion': 'A version',
  'create.ofInstance': 'Another instance, with its data',
  'create.defaultVersion': 'The default version',
  'create.cloned': 'Instance to clone',
  'create.owner': 'Owner, and more',
  'create.submit': 'Create',
  'create.show': 'Show {name}',
} as const satisfies Texts
