import { confirm as askYesNo, isCancel, text as askText } from '@clack/prompts'
import { ManagerError } from '@steward/manager-core/errors'
import type { Action, ActionResult, Input } from '@steward/manager-core'
import { printable } from './output/text.js'
import type { Surroundings } from './surroundings.js'

export interface Question {
  readonly action: Action
  readonly input: Readonly<Record<string, Input>>
  readonly surroundings: Surroundings
  /** The user must not be asked: output is for programs. */
  readonly silent: boolean
  /** The dry run: what is refused anyway is refused before the question. */
  readonly rehearse: () => Promise<ActionResult>
}

/**
 * Asks before something is lost; with the name of an instance to be typed when it is about one.
 *
 * @throws ManagerError ERR_CONFIRMATION when the user cannot be asked, or the answer is no; what the dry run throws, which is
 *   only ERR_NOT_FOUND when the user cannot be asked
 */
export async function confirmLoss({ action, input, surroundings, silent, rehearse }: Question): Promise<void> {
  const { stdin, stderr } = surroundings
  const loss = filledIn(action.destructive ?? '', input)
  if (silent || !stdin.isTTY || !stderr.isTTY) {
    // What is not there cannot be lost.
    const isNew = (action.parameters ?? []).length > 0 && (await losesNothing(rehearse))
    if (isNew) return
    throw new ManagerError(
      'ERR_CONFIRMATION',
      `${loss} Nothing was done, because there is no terminal to ask for confirmation.`,
      {
        help: 'To confirm without a prompt, add --yes.',
      },
    )
  }
  const { plan, losesNothing: isHarmless } = await rehearse()
  if (isHarmless) return
  for (const note of plan?.notes ?? []) stderr.write(`Note: ${printable(note)}\n`)
  const about = action.parameters?.find(({ type }) => type === 'instance')?.name
  const name = about === undefined ? undefined : input[about]
  const streams = { input: stdin, output: stderr }
  const answer =
    typeof name === 'string'
      ? await askText({
          ...streams,
          message: `${loss} Type its name to continue.`,
          validate: (typed) => (typed === name ? undefined : `Type "${name}", or press Ctrl-C to cancel.`),
        })
      : await askYesNo({ ...streams, message: `${loss} Continue?`, initialValue: false })
  if (isCancel(answer) || answer === false) throw new ManagerError('ERR_CONFIRMATION', 'Nothing was done.')
}

/** @throws ManagerError ERR_NOT_FOUND */
async function losesNothing(rehearse: Question['rehearse']): Promise<boolean> {
  try {
    return (await rehearse()).losesNothing === true
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_NOT_FOUND') throw error
    return false
  }
}

/** `{name}` in a text becomes the input of that name. */
function filledIn(text: string, input: Readonly<Record<string, Input>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => printable(String(input[name] ?? '')))
}
