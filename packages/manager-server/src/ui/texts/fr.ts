import type { Text } from '@steward/page-kit/text'
import type { TextKey } from './en.js'
import { actions } from './fr/actions.js'
import { activity } from './fr/activity.js'
import { common } from './fr/common.js'
import { commands } from './fr/commands.js'
import { create } from './fr/create.js'
import { history } from './fr/history.js'
import { instance } from './fr/instance.js'
import { instances } from './fr/instances.js'
import { manager } from './fr/manager.js'
import { monitor } from './fr/monitor.js'
import { operations } from './fr/operations.js'
import { requests } from './fr/requests.js'
import { shell } from './fr/shell.js'
import { terminal } from './fr/terminal.js'
import { trash } from './fr/trash.js'

export const fr: Readonly<Record<TextKey, Text>> = {
  ...common,
  ...actions,
  ...activity,
  ...shell,
  ...instances,
  ...commands,
  ...create,
  ...requests,
  ...history,
  ...instance,
  ...manager,
  ...monitor,
  ...operations,
  ...terminal,
  ...trash,
}
