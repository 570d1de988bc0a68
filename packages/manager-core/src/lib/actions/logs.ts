import { redact } from '../runtime/redact.js'
import type { Action } from './action.js'
import { nameOfInstance, refOf } from './named-instance.js'

export const logsAction: Action = {
  name: 'logs',
  group: 'Looking',
  summary: 'Show the last lines of the log of an instance',
  description:
    'Passwords, tokens and Authorization headers in it are shown as ***. Ctrl-C ends --follow. It is logs/application.log ' +
    'in the folder of the instance; from APPS_LOGMAXSIZE MB on it is copied aside (application.log.1 is the newest of ' +
    'APPS_LOGKEEP copies) and emptied.',
  parameters: [nameOfInstance],
  options: [
    { name: 'lines', short: 'n', type: 'integer', min: 0, max: 100_000, summary: 'How many lines (default 100)' },
    { name: 'follow', short: 'f', type: 'flag', summary: 'Go on with what is written from now on' },
  ],
  ability: 'read',
  mutating: false,
  examples: ['logs demo', 'logs demo --lines 20', 'logs demo --follow'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const instance = context.registry.get(input.name as string)
    const follow = input.follow === true
    const lines = redacted(
      context.runtime.logs(refOf(context, instance), {
        lines: (input.lines as number | undefined) ?? 100,
        follow,
        ...(caller.signal && { signal: caller.signal }),
      }),
    )
    if (follow) return { message: `Log of "${instance.name}"`, stream: lines }
    const list: string[] = []
    for await (const line of lines) list.push(line)
    return { message: list.join('\n'), list }
  },
}

async function* redacted(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield redact(line)
}
