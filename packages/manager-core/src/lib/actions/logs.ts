import { readMoment } from '../domain/moment.js'
import { createLogFilter } from '../logs/log-filter.js'
import { logLevels } from '../logs/read-log-entry.js'
import { refOf } from '../runtime/instance-ref.js'
import { redact } from '../runtime/redact.js'
import { defineAction } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

export const logsAction = defineAction({
  name: 'logs',
  aliases: ['log'],
  group: 'Looking',
  summary: 'Show the last lines of the log of an instance',
  description: [
    'Shows local time (--utc: UTC), level and message; for requests: method, address, status, duration and user. ' +
      '--json prints the lines as stored in logs/application.log in the folder of the instance. Passwords, tokens ' +
      'and Authorization headers are shown as ***. Press Ctrl-C to end --follow.',
    'Lines without a level, such as those of a crash, are shown at every --level. Lines without a time belong to ' +
      'the line before them. Searches the last 100,000 lines.',
    'When the log reaches APPS_LOGMAXSIZE MB, it is copied and emptied (application.log.1 is the latest of ' +
      'APPS_LOGKEEP copies).',
  ].join('\n\n'),
  parameters: [nameOfInstance],
  options: [
    { name: 'lines', short: 'n', type: 'integer', min: 0, max: 100_000, summary: 'How many lines (default 100)' },
    { name: 'follow', short: 'f', type: 'flag', summary: 'Show new lines as they are written' },
    { name: 'level', short: 'l', type: 'choice', choices: logLevels, summary: 'Minimum level' },
    { name: 'since', short: 's', type: 'text', summary: 'Start time: 10m, 2h, 3d, 14:03 or 2026-11-20' },
    { name: 'grep', short: 'g', type: 'text', summary: 'Text to search for, in upper or lower case' },
    { name: 'all', short: 'a', type: 'flag', summary: "Include the manager's own health checks" },
  ],
  ability: 'read',
  mutating: false,
  examples: [
    'logs demo',
    'logs demo -n 20 --follow',
    'logs demo --level error --since 2h',
    "logs demo --grep 'GET /api' --json",
  ],
  view: { type: 'log' },
  async handler({ context, input, caller }) {
    const instance = input.name
    const follow = input.follow
    const options = {
      level: input.level,
      since: input.since === undefined ? undefined : readMoment(input.since, context.clock()),
      text: input.grep,
      healthChecks: input.all,
    }
    const lines = redacted(
      context.runtimes.of(instance).logs(refOf(context, instance), {
        lines: input.lines ?? 100,
        follow,
        // What is left out cannot be found by searching for it.
        filter: () => {
          const isWanted = createLogFilter(options)
          return (line) => isWanted(redact(line))
        },
        ...(caller.signal && { signal: caller.signal }),
      }),
    )
    if (follow) return { message: `Log of "${instance.name}"`, stream: lines }
    const list: string[] = []
    for await (const line of lines) list.push(line)
    return { message: list.join('\n'), list }
  },
})

async function* redacted(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield redact(line)
}
