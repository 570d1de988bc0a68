import { ManagerError } from '../../errors.js'
import { runForeignProgram } from '../accounts/foreign-program.js'

export interface ToolCall {
  readonly args: readonly string[]
  /** What is attempted, without a last full stop: `Cannot fetch https://host/repository`. */
  readonly attempt: string
  /** Over this process's environment; undefined takes a variable away. Secrets belong here, never into `args`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly signal?: AbortSignal | undefined
  /** Texts that no message may show. */
  readonly secrets?: readonly string[]
}

/** Nothing that a template needs takes longer, in ms; a program that hangs must not hold the refresh for ever. */
const timeout = 15 * 60_000
/** They remove what is half done. */
const graceMs = 5_000

/**
 * Runs `git` or `npm` without input, and gives what it printed.
 *
 * @throws ManagerError ERR_TEMPLATE with its last lines.
 */
export async function runTool(program: 'git' | 'npm', call: ToolCall): Promise<string> {
  const { args, attempt, environment, folder, signal, secrets = [] } = call
  const { code, stdout, stderr, ended, error } = await runForeignProgram({
    program,
    args,
    folder,
    environment: { ...process.env, LC_ALL: 'C', ...environment },
    limitMs: timeout,
    longest: 64 * 2 ** 20,
    graceMs,
    signal,
  })
  if (code === 0) return stdout
  signal?.throwIfAborted()
  if (error?.code === 'ENOENT')
    throw new ManagerError('ERR_TEMPLATE', `${attempt}: the program ${program} is not installed.`, {
      help: `Install ${program}, or use a template that does not need it.`,
    })
  let output = stderr.trim()
  for (const secret of secrets) output = output.replaceAll(secret, '***')
  output = output.slice(-2000)
  const why = ended === 'late' ? `${program} took longer than ${timeout / 60_000} minutes` : reasonOf(output)
  throw new ManagerError('ERR_TEMPLATE', `${attempt}: ${why}`, { output, help: remedyIn(output) })
}

/** Git refuses repositories of other users, whose settings could run programs. */
function remedyIn(output: string): string | undefined {
  const command = /^\s*(git config --global --add safe\.directory .+)$/m.exec(output)?.[1]
  return command && `The repository belongs to another user. If you trust it, run as the manager's user: ${command}`
}

/** The line that says most: git marks it by `fatal:`, npm by `npm error`. */
function reasonOf(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const marked = lines.filter(
    (line) => /^(fatal|error|remote|npm error):? /i.test(line) && !/^npm error code/i.test(line),
  )
  const line = marked.find((text) => text.startsWith('fatal')) ?? marked[0] ?? lines.at(-1) ?? ''
  return line.replace(/^(fatal: |npm error |error: )+/i, '') || 'it failed without a message'
}
