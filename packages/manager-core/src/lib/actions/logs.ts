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
    'People get local time (--utc: UTC), level and message, of a request its method, address, status, duration and user; --json gives the lines as they are in the file, logs/application.log in the folder of the instance. Passwords, tokens and Authorization headers are shown as ***. Ctrl-C ends --follow.',
    'Lines without a level, as those of a crash, are shown at every --level; lines without a time go with the line before them. The last 100,000 lines are searched.',
    'From APPS_LOGMAXSIZE MB on the log is copied aside (application.log.1 is the newest of APPS_LOGKEEP copies) and emptied.',
  ].join('\n\n'),
  parameters: [nameOfInstance],
  options: [
    { name: 'lines', short: 'n', type: 'integer', min: 0, max: 100_000, summary: 'How many lines (default 100)' },
    { name: 'follow', short: 'f', type: 'flag', summary: 'Follow what is written from now on' },
    { name: 'level', short: 'l', type: 'choice', choices: logLevels, summary: 'From this level on' },
    { name: 'since', short: 's', type: 'text', summary: 'Not older: 10m, 2h, 3d, 14:03, 2026-11-20' },
    { name: 'grep', short: 'g', type: 'text', summary: 'With this text, in upper or lower case' },
    { name: 'all', short: 'a', type: 'flag', summary: "Also the manager's own health checks" },
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
        // Nobody finds out what is left out by searching for it.
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
