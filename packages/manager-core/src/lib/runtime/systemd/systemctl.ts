import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ManagerError } from '../../../errors.js'

const execute = promisify(execFile)

/** Enough for thousands of units. */
const maxBuffer = 64 * 2 ** 20

const elsewhere = 'or run instances as processes: APPS_RUNTIME=process, manager move <name> --to process'

/** @returns what it prints. @throws ManagerError ERR_STATE when systemd cannot be used here, else ERR_FAILED */
export function systemctl(...args: readonly string[]): Promise<string> {
  return call('systemctl', ['--no-ask-password', '--no-pager', ...args])
}

/** Starts a command as a unit of its own that outlives this process; nothing is left of it when it has ended. */
export async function runAsUnit(unit: string, command: readonly string[]): Promise<void> {
  const quietly = ['--quiet', '--no-ask-password', '--collect', `--unit=${unit}`]
  await call('systemd-run', [...quietly, '--property=KillMode=control-group', '--', ...command])
}

async function call(program: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' }
  try {
    const { stdout } = await execute(program, args, { env, maxBuffer })
    return stdout
  } catch (error) {
    throw inWords(program, args, error as NodeJS.ErrnoException & { readonly stderr?: string })
  }
}

/** Why systemd cannot be used, or its answer to the call. */
function inWords(
  program: string,
  args: readonly string[],
  error: NodeJS.ErrnoException & { readonly stderr?: string },
): ManagerError {
  const said = (error.stderr ?? '').trim()
  const first = said.split('\n')[0] || error.message
  if (error.code === 'ENOENT')
    return new ManagerError('ERR_STATE', `${program} is not installed.`, {
      help: `Install systemd on a machine that it boots, ${elsewhere}`,
    })
  if (/access denied|authentication required|permission denied|not permitted/i.test(said))
    return new ManagerError('ERR_STATE', `systemd does not let this user change units of the system: ${first}`, {
      help: `Run the manager as root, ${elsewhere}`,
      output: said,
    })
  if (/failed to connect to bus|not been booted with systemd|host is down/i.test(said))
    return new ManagerError('ERR_STATE', `systemd does not answer: ${first}`, {
      help: `Use a machine that systemd boots, ${elsewhere}`,
      output: said,
    })
  const [verb] = args.filter((each) => !each.startsWith('-'))
  return new ManagerError('ERR_FAILED', `${program} ${verb} failed: ${first}`, { output: said, cause: error })
}
