import { Argument, Command, Option } from 'commander'
import type { Action, Input, Manager, Option as ActionOption, Parameter } from '@steward/manager-core'
import { addCompletion } from './completion/commands.js'
import { globalOptions, type GlobalOptions } from './global-options.js'
import type { Surroundings } from './surroundings.js'
import { wordOf } from './word-of.js'

/** One command as it was typed. */
export interface Call {
  readonly action: Action
  readonly input: Readonly<Record<string, Input>>
  readonly options: GlobalOptions
}

export interface ProgramOptions {
  readonly actions: readonly Action[]
  readonly version: string
  readonly surroundings: Surroundings
  readonly onCall: (call: Call) => void
  /** For what is completed; closed by whoever made it. */
  readonly managerAt: (home: string | undefined) => Manager
}

/** Headings of help, in their order. */
const groups = [
  'Instances',
  'Looking',
  'Backups',
  'Flags',
  'Application',
  'Manager',
] as const satisfies Action['group'][]

/** The command line: one command per row of the action table. Mistakes are thrown as commander's errors. */
export function createProgram(options: ProgramOptions): Command {
  const { actions, version, surroundings, onCall, managerAt } = options
  const { stdout, stderr } = surroundings
  const program = new Command('manager')
    .description('Makes and looks after many instances of applications on this machine.')
    .usage('<command> [options]')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help, or that of a command')
    .helpCommand('help [command]', 'print the help of a command')
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      // Mistakes are reported by whoever catches them.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(stdout.columns ?? 100, 120),
      getErrHelpWidth: () => Math.min(stderr.columns ?? 100, 120),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ sortSubcommands: false, subcommandTerm: (command) => termOf(command) })
    .exitOverride()
  for (const option of globalOptions(true)) program.addOption(option)
  for (const group of groups) {
    for (const action of actions)
      if (action.group === group && isOfCommandLine(action)) addCommand(program, action, onCall)
  }
  addCompletion(program, {
    actions: actions.filter(isOfCommandLine),
    manager: () => managerAt(program.opts<GlobalOptions>().home),
    print: (text) => void stdout.write(text),
  })
  program.addHelpText('after', '\nHelp of a command: manager <command> --help')
  return program
}

function isOfCommandLine({ surfaces }: Action): boolean {
  return surfaces === undefined || surfaces.includes('cli')
}

function addCommand(program: Command, action: Action, onCall: ProgramOptions['onCall']): void {
  const { name, aliases = [], summary, description, parameters = [], options = [], mutating, group } = action
  const command = program
    .command(name)
    .aliases(aliases)
    .summary(summary)
    .description([summary, ...(description ? [description] : [])].join('\n\n'))
    .helpGroup(`${group}:`)
    .allowExcessArguments(false)
  for (const parameter of parameters) command.addArgument(argumentOf(parameter))
  const flags = options.map((option) => ({ name: option.name, option: optionOf(option) }))
  for (const { option } of flags) command.addOption(option)
  for (const option of globalOptions(mutating)) command.addOption(option)
  command.addHelpText('after', examplesOf(action))
  command.action(() => {
    const given = command.opts<Record<string, Input>>()
    const input: Record<string, Input> = {}
    for (const [at, { name: key }] of parameters.entries()) input[key] = command.processedArgs[at] as Input
    for (const { name: key, option } of flags) {
      const value = given[option.attributeName()]
      // Of `--no-start` commander says that `start` is false.
      input[key] = option.negate ? value === false || undefined : value
    }
    onCall({ action, input, options: merged(program.opts<GlobalOptions>(), command.opts<GlobalOptions>()) })
  })
}

/** What stands behind the command's name wins. `color` has a default on both, so a "no" of either holds. */
function merged(before: GlobalOptions, after: GlobalOptions): GlobalOptions {
  return { ...before, ...after, color: before.color !== false && after.color !== false }
}

function argumentOf({ name, summary, required, variadic, choices }: Parameter): Argument {
  const dots = variadic ? '...' : ''
  return new Argument(required ? `<${name}${dots}>` : `[${name}${dots}]`, withChoices(summary, choices))
}

function optionOf({ name, short, summary, type, choices }: ActionOption): Option {
  const value =
    type === 'flag' ? '' : ` <${type === 'yes-no' ? 'yes|no' : type === 'integer' ? 'number' : wordOf(name)}>`
  return new Option(`${short ? `-${short}, ` : ''}--${wordOf(name)}${value}`, withChoices(summary, choices))
}

function withChoices(summary: string, choices: readonly string[] | undefined): string {
  const text = summary.replace(/\.$/, '')
  return choices ? `${text} (${choices.join(', ')})` : text
}

function examplesOf({ examples }: Action): string {
  return examples.length === 0 ? '' : `\nExamples:\n${examples.map((line) => `  manager ${line}`).join('\n')}`
}

/** `list|ls [filter]`; options are for the command's own help. */
function termOf(command: Command): string {
  const args = command.registeredArguments.map((one) => {
    const name = one.name() + (one.variadic ? '...' : '')
    return one.required ? `<${name}>` : `[${name}]`
  })
  return [[command.name(), ...command.aliases()].join('|'), ...args].join(' ')
}
