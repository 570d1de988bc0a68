import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

/** Commands of a shell block up to a comment, and what the comment says that they print. */
interface ShellStep {
  readonly command: string
  /** `…` stands for anything. Absent: it is not said. */
  readonly prints: string | undefined
}

/** What is printed between two steps, so that their outputs can be told apart; no program's output holds it. */
const separator = '\u001E'

/** Why shell blocks cannot be run here; undefined when they can. */
export function shellIsMissing(): string | undefined {
  const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).status !== 0)
  return missing.length > 0 ? `${missing.join(' and ')} cannot be run on this machine.` : undefined
}

/** Reads a shell block: a comment after commands is what they print. */
function shellSteps(block: string): ShellStep[] {
  const steps: { command: string[]; prints: string[] }[] = []
  for (const line of block.split('\n')) {
    const current = steps.at(-1)
    if (line.startsWith('# ')) current?.prints.push(line.slice(2))
    else if (line.trim() === '') continue
    else if (current && current.prints.length === 0) current.command.push(line)
    else steps.push({ command: [line], prints: [] })
  }
  return steps.map(({ command, prints }) => ({
    command: command.join('\n'),
    prints: prints.length > 0 ? prints.join('\n') : undefined,
  }))
}

/** Runs the commands in one bash and gives what each step printed, without the line's end. */
export async function runShell(
  steps: readonly Pick<ShellStep, 'command'>[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string[]> {
  const script = steps.map(({ command }) => `${command}\nprintf '${separator}'`).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-uc', script], options)
  return stdout
    .split(separator)
    .slice(0, -1)
    .map((text) => text.trim())
}

export interface CompareOptions {
  readonly cwd?: string
  /** Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** Takes what differs from run to run out of outputs and of what is said. */
  readonly normalise?: (text: string) => string
}

/**
 * Runs a shell block and compares.
 *
 * @returns each step that printed something else than its comment says; empty when all match.
 */
export async function unexpectedOutputs(
  block: string,
  { cwd, env, normalise = (text) => text }: CompareOptions = {},
): Promise<string[]> {
  const steps = shellSteps(block)
  const outputs = await runShell(steps, { ...(cwd !== undefined && { cwd }), ...(env && { env }) })
  return steps.flatMap(({ command, prints }, at) => {
    const output = normalise(outputs[at] ?? '')
    const isExpected = prints === undefined || patternOf(normalise(prints)).test(output)
    return isExpected ? [] : [`${command}\n${output}\nnot\n${prints}`]
  })
}

function patternOf(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}
