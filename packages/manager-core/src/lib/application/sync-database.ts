import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { runScript } from '../hooks/run-script.js'
import { redact } from '../runtime/redact.js'
import { applicationCommand, reasonIn } from './application-command.js'
import { specOf } from './instance-spec.js'

/** What the application server prints when it is done and has closed the database. */
const lastLine = 'The database fits the application.\n'
/** Large tables are rewritten. */
const timeoutMs = 24 * 60 * 60_000

/**
 * Has the application of an instance, which is stopped, bring its database in step, whatever is lost by that. The start
 * that follows finds nothing to change, and no start after it can lose anything.
 *
 * @throws ManagerError ERR_DATABASE
 */
export async function syncDestructively(context: ManagerContext, instance: Instance, signal: AbortSignal) {
  const { folder, app, data } = context.home.instance(instance.id)
  const spec = await specOf(context, instance)
  const options = { app, environment: spec.environment, account: accountAt(folder), home: data }
  const task = ['--sync', '--destructive', '--data', data]
  const { program: file, args, environment } = applicationCommand(context, options, task)
  // A script ends with the manager, also when that is killed: nothing works on while what it changes is put back.
  const over = new AbortController()
  let printed = ''
  const { output } = await runScript({
    file,
    args,
    folder: app,
    environment,
    input: '',
    timeoutMs,
    outputBytes: 64 * 1024,
    signal: AbortSignal.any([signal, over.signal]),
    onOutput(piece) {
      printed = (printed + piece.toString('utf8')).slice(-200)
      // Timers of the application would keep the process alive.
      if (printed.includes(lastLine)) over.abort()
    },
  })
  signal.throwIfAborted()
  if (over.signal.aborted) return
  const text = redact(output.toString('utf8').trim()).slice(-2000)
  throw new ManagerError(
    'ERR_DATABASE',
    reasonIn(text) ?? 'The application server ended before the database was changed.',
    {
      output: text,
    },
  )
}
