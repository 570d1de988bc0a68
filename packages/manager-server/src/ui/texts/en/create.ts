import type { Texts } from '@steward/page-kit/text'

/** The dialog that makes an instance. */
export const create = {
  'create.title': 'New instance',
  'create.name': 'Name',
  'create.nameAbout': '3–20 letters and digits. Leave empty for a random name.',
  'create.origin': 'Start from',
  'create.ofVersion': 'Template',
  'create.ofInstance': 'Copy of an instance',
  'create.defaultVersion': 'Default version',
  'create.cloned': 'Instance to copy',
  'create.owner': 'More options',
  'create.submit': 'Create',
  'create.show': 'Show {name}',
} as const satisfies Texts
