import { actions } from './en/actions.js'
import { activity } from './en/activity.js'
import { common } from './en/common.js'
import { commands } from './en/commands.js'
import { create } from './en/create.js'
import { history } from './en/history.js'
import { instance } from './en/instance.js'
import { instances } from './en/instances.js'
import { manager } from './en/manager.js'
import { monitor } from './en/monitor.js'
import { operations } from './en/operations.js'
import { requests } from './en/requests.js'
import { shell } from './en/shell.js'
import { terminal } from './en/terminal.js'
import { trash } from './en/trash.js'

/** All texts of the pages; a file for each view. */
export const en = {
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
} as const

export type TextKey = keyof typeof en
