import type { Texts } from '@steward/page-kit/text'

/** The dialog that makes an instance. */
export const create = {
  'create.title': 'New instance',
  'create.name': 'Name',
  'create.origin': 'Start from',
  'create.cloned': 'Instance to copy',
  'create.submit': 'Create',
  'create.show': 'Show {name}',
  'create.another': 'Create another',
  'create.from.add': 'Template',
  'create.from.clone': 'Copy of an instance',
  'create.from.restore': 'Backup',
  'create.isDefault': '{value} (default)',
  'create.taken': 'An instance named “{name}” already exists.',
  'create.running': '{name} is running',
  'create.stopped': '{name} is ready, not started',
  'create.took': 'Took {time}',
  'create.open': 'Open',
  'create.sameUsers': 'Users and passwords are those of the original.',
  'create.administrator': 'Show administrator',
  'create.password': 'To show the administrator’s password, run on the server:',
} as const satisfies Texts
