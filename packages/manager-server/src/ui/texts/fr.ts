import type { Text } from '@steward/page-kit/text'
import type { TextKey } from './en.js'
import { actions } from './fr/actions.js'
import { common } from './fr/common.js'
import { create } from './fr/create.js'
import { history } from './fr/history.js'
import { instance } from './fr/instance.js'
import { instances } from './fr/instances.js'
import { monitor } from './fr/monitor.js'
import { operations } from './fr/operations.js'
import { requests } from './fr/requests.js'
import { shell } from './fr/shell.js'
import { terminal } from './fr/terminal.js'
import { trash } from './fr/trash.js'

export const fr: Readonly<Record<TextKey, Text>> = {
  ...common,
  ...actions,
  ...shell,
  ...instances,
  ...create,
  ...requests,
  ...history,
  ...instance,
  ...monitor,
  ...operations,
  ...terminal,
  ...trash,
}
