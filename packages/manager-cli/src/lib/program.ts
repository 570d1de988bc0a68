import { Argument, Command, Option } from 'commander'
import type { Action, Input, Manager, Option as ActionOption, Parameter } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import { addCompletion } from './completion/commands.js'
import { commandGroup, unknownCommand } from './command-group.js'
import { helpOf } from './failure.js'
import { globalOptions, tableOptions, type GlobalOptions } from './global-options.js'
import { addHelp, argumentsOf, helpConfiguration, usualCommands } from './help.js'
import type { Surroundings } from './surroundings.js'
import { wordOf } from './word-of.js'

/** One command as it was typed. */
export interface CommandCall {
  readonly action: Action
  readonly input: Readonly<Record<string, Input>>
  readonly options: GlobalOptions
}

export interface ProgramOptions {
  readonly actions: readonly Action[]
  readonly version: string
  readonly surroundings: Surroundings
  readonly onCall: (call: CommandCall) => void
  /** For what is completed; closed by its maker. */
  readonly managerAt: (home: string | undefined) => Manager
}

/** Headings of help, in their order. */
const groups = Object.keys({
  Instances: true,
  Looking: true,
  Backups: true,
  Flags: true,
  Application: true,
  Requests: true,
  Access: true,
  Manager: true,
} satisfies Record<Action['group'], true>)

/** The command line: one command per row of the action table. Mistakes are thrown as commander's errors. */
export function createProgram(options: ProgramOptions): Command {
  const { actions, version, surroundings, managerAt } = options
  const { stdout, stderr } = surroundings
  const program = new Command('manager')
    .description('Create and manage instances of applications on this machine.')
    .usage('<command> [options]')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help, or that of a command')
    .helpCommand(false)
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      // Mistakes are reported where they are caught.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(stdout.columns ?? 100, 120),
      getErrHelpWidth: () => Math.min(stderr.columns ?? 100, 120),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp(helpConfiguration)
    .exitOverride()
    .on('command:*', ([word = '']: string[]) => unknownCommand(program, word))
  for (const option of globalOptions(true)) program.addOption(option)
  for (const group of groups) {
    for (const action of actions)
      if (action.group === group && isOfCommandLine(action)) addAction(program, action, options)
  }
  addCompletion(program, {
    actions: actions.filter(isOfCommandLine),
    manager: () => managerAt(program.opts<GlobalOptions>().home),
    print: (text) => void stdout.write(text),
  })
  addHelp(program, () => void stdout.write(usualCommands(program, stdout.isTTY ? stdout.columns : undefined)))
  return program
}

function isOfCommandLine({ surfaces }: Action): boolean {
  return surfaces === undefined || surfaces.includes('cli')
}

/** `backups verify` is a command of `backups`; its aliases of one word are commands of their own, which help leaves out. */
function addAction(program: Command, action: Action, options: ProgramOptions): void {
  const { name, aliases = [], formerly = [] } = action
  const [first = '', second] = name.split(' ')
  const add = (command: Command) => addCommand(command, action, options)
  for (const former of formerly) add(program.command(former, { hidden: true }))
  if (second === undefined) return add(program.command(first).aliases(aliases))
  const group = commandGroup(program, first, `${action.group}:`)
  add(group.command(second, { isDefault: aliases.includes(first) }))
  for (const alias of aliases) if (alias !== first) add(program.command(alias, { hidden: true }))
}

function addCommand(command: Command, action: Action, { onCall, surroundings }: ProgramOptions): void {
  const { summary, description, parameters = [], options = [], mutating, group } = action
  const own = parameters[0]?.type === 'instance' ? surroundings.env.STEWARD_INSTANCE : undefined
  command
    .exitOverride((error) => {
      if (error.code === 'commander.missingArgument') throw missingArgument(command, action)
      if (error.exitCode !== 0) helpOf.set(error, `${pathOf(command)} --help`)
      throw error
    })
    .summary(summary)
    .description([summary, ...(description ? [description] : [])].join('\n\n'))
    .helpGroup(`${group}:`)
    .allowExcessArguments(false)
  // What is left out is found out below, where the name of the instance is known.
  for (const parameter of parameters)
    command.addArgument(argumentOf(own === undefined ? parameter : { ...parameter, required: false }))
  const flags = options.map((option) => ({ name: option.name, option: optionOf(option) }))
  for (const { option } of flags) command.addOption(option)
  if (action.view.type === 'table') for (const option of tableOptions) command.addOption(option)
  for (const option of globalOptions(mutating)) command.addOption(option)
  command.addHelpText('after', examplesOf(action))
  command.action(() => {
    const given = command.opts<Record<string, Input>>()
    const input: Record<string, Input> = {}
    const values = own === undefined ? command.processedArgs : withOwn(own, command, parameters)
    for (const [at, { name: key }] of parameters.entries()) input[key] = values[at] as Input
    for (const { name: key, option } of flags) {
      const value = given[option.attributeName()]
      // For `--no-start` commander says that `start` is false.
      input[key] = option.negate ? value === false || undefined : value
    }
    onCall({ action, input, options: globalsOf(command) })
  })
}

/** Commands that lack the name of an instance, by the error that says so. */
export const lackingInstance = new WeakMap<object, Pick<CommandCall, 'action' | 'options'>>()

/** Asks for the first argument that is missing. */
function missingArgument(command: Command, action: Action): ManagerError {
  const missing = action.parameters?.[command.args.length] as Parameter
  const what = missing.type === 'instance' ? 'instance' : missing.name.replaceAll('_', ' ')
  const usage = [pathOf(command), ...argumentsOf(command)].join(' ')
  const error = new ManagerError('ERR_USAGE', `Which ${what}? Usage: manager ${usage}`, {
    command: `${pathOf(command)} --help`,
  })
  if (missing.type === 'instance') lackingInstance.set(error, { action, options: globalsOf(command) })
  return error
}

/** As it is typed after the program's name. */
function pathOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name()
}

/**
 * In the shell of an instance its name may be left out: it is put before the arguments when there are fewer than the command
 * needs. Not with a home of one's own choice, where that name may be another instance's.
 */
function withOwn(own: string, command: Command, parameters: readonly Parameter[]): unknown[] {
  const needed = Math.max(1, parameters.filter(({ required }) => required).length)
  const { args, processedArgs } = command
  if (args.length >= needed || globalsOf(command).home !== undefined) return processedArgs
  const [last] = parameters.slice(-1)
  const all = [own, ...args]
  return last?.variadic ? [...all.slice(0, parameters.length - 1), all.slice(parameters.length - 1)] : all
}

/** What stands after the command's name wins. `color` has a default everywhere, so any "no" holds. */
function globalsOf(command: Command): GlobalOptions {
  const own = command.opts<GlobalOptions>()
  if (!command.parent) return own
  const before = globalsOf(command.parent)
  return { ...before, ...own, color: before.color !== false && own.color !== false }
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
