import { isCancel, password as askHidden } from '@clack/prompts'
import type { Input } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import type { CommandCall } from './program.js'
import type { Surroundings } from './surroundings.js'

/** Longer texts are refused by every action. In bytes. */
const mostBytes = 64 * 1024

/**
 * The inputs of a command, with the value that its flag (`Parameter.readWith`) has read: from standard input without its
 * last line end, or typed unseen at a terminal.
 *
 * @throws ManagerError ERR_USAGE when the value stands in the arguments, too, or is too long; ERR_CONFIRMATION when the
 *   user types none
 */
export async function withReadValue(
  { action, input, options }: CommandCall,
  { stdin, stderr }: Surroundings,
): Promise<Readonly<Record<string, Input>>> {
  const wanted = action.parameters?.find(({ readWith }) => readWith !== undefined && input[readWith] === true)
  if (!wanted) return input
  const { name, summary, readWith } = wanted
  if (input[name] !== undefined)
    throw new ManagerError('ERR_USAGE', `With --${readWith}, leave out the <${name}>: it is read.`)
  if (stdin.isTTY && stderr.isTTY && !options.json) {
    const typed = await askHidden({ input: stdin, output: stderr, message: summary })
    if (isCancel(typed)) throw new ManagerError('ERR_CONFIRMATION', 'Nothing was done.')
    return { ...input, [name]: typed }
  }
  const pieces: Buffer[] = []
  for await (const piece of stdin) {
    pieces.push(Buffer.from(piece as Uint8Array))
    if (pieces.reduce((sum, { length }) => sum + length, 0) > mostBytes)
      throw new ManagerError('ERR_USAGE', `The ${name} on standard input is longer than ${mostBytes} bytes.`)
  }
  return {
    ...input,
    [name]: Buffer.concat(pieces)
      .toString('utf8')
      .replace(/\r?\n$/, ''),
  }
}
