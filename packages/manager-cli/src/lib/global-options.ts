import { Option } from 'commander'

/** Options that every command takes, before or after its name. */
export interface GlobalOptions {
  readonly home?: string
  readonly json?: boolean
  readonly yes?: boolean
  /** Seconds; `true`: for ever. */
  readonly wait?: string | true
  readonly dryRun?: boolean
  readonly verbose?: boolean
  readonly quiet?: boolean
  readonly color?: boolean
  /** Times in UTC. */
  readonly utc?: boolean
  /** For commands that show a table: the columns, as they were typed. */
  readonly columns?: string
  readonly wide?: boolean
}

const heading = 'Options of every command:'

/** @param mutating whether help shows those that only changes heed. They are the same objects for all commands. */
export function globalOptions(mutating: boolean): readonly Option[] {
  return mutating ? ofChanging : ofOthers
}

function makeGlobalOptions(mutating: boolean): readonly Option[] {
  const option = (flags: string, description: string) => new Option(flags, description).helpGroup(heading)
  const ofChanges = (flags: string, description: string) => option(flags, description).hideHelp(!mutating)
  return [
    option(
      '--home <folder>',
      "the manager's home (default: APPS_HOME, the current folder or its .manager, the one made by setup, " +
        '~/.steward)',
    ),
    option('--json', 'print the result as JSON'),
    ofChanges('--yes', 'confirm without a prompt'),
    ofChanges('--dry-run', 'show what would be done, without changing anything'),
    ofChanges('--wait [seconds]', 'wait if another command is using the instance; without a number, indefinitely'),
    option('--quiet', 'print results and errors only'),
    option('--verbose', 'print where an error came from'),
    option('--no-color', 'no colours (as NO_COLOR does)'),
    option('--utc', 'times in UTC (default: local time, which TZ sets)'),
  ]
}

const ofChanging = makeGlobalOptions(true)
const ofOthers = makeGlobalOptions(false)

/** The same, which help does not show. */
export const hiddenGlobalOptions: readonly Option[] = makeGlobalOptions(true).map((option) => option.hideHelp())

/** Options of commands that show a table. */
export const tableOptions: readonly Option[] = [
  new Option('--columns <names>', 'show these columns, separated by commas, by their --json names'),
  new Option('--wide', 'show all columns in full'),
]

/** `--wait demo` is a wait without a number, then a name: its value is only taken when it is a number. */
export function withWaitOfItsOwn(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  return args.map((arg, at) => {
    if (arg !== '--wait' || (end !== -1 && at > end)) return arg
    return /^\d+(\.\d+)?$/.test(args[at + 1] ?? '') ? arg : '--wait=for-ever'
  })
}
