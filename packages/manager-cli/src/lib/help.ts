import { Help, type Command } from 'commander'
import { commandNamed, unknownCommand } from './command-group.js'
import { hiddenGlobalOptions } from './global-options.js'
import { cut } from './output/text.js'

/** Finds what commander itself shows. */
const plain = new Help()

/**
 * Help of all commands lists those of two words one by one; `help backups verify` is `backups verify --help`.
 *
 * @param print gets the usual commands, for `help` alone
 */
export function addHelp(program: Command, print: () => void): void {
  const help = program
    .command('help [command...]')
    .summary('Print the help of a command, or the usual commands')
    .option('--all', 'list all commands')
    .helpGroup('Manager:')
    .action((words: string[], { all = false }: { all?: boolean }) => {
      if (words.length === 0 && !all) return print()
      let command = program
      for (const word of words) command = commandNamed(command, word) ?? unknownCommand(command, word)
      command.help()
    })
  for (const option of hiddenGlobalOptions) help.addOption(option)
  program.addHelpText('after', '\nFor help on a command, run: manager <command> --help')
}

/** What most days need, in its order. */
const usual = ['add', 'list', 'status', 'logs', 'save', 'restore', 'upgrade', 'restart', 'delete', 'doctor']

/**
 * Shown when no command was typed, as all of them would not fit on a screen.
 *
 * @param width of the terminal; undefined: nothing is cut
 */
export function usualCommands(program: Command, width: number | undefined): string {
  const commands = usual.flatMap((name) => commandNamed(program, name) ?? [])
  const terms = commands.map((command) => [command.name(), ...argumentsOf(command)].join(' '))
  const longest = Math.max(0, ...terms.map((term) => term.length))
  const lines = commands.map((command, at) => {
    const line = `  ${(terms[at] as string).padEnd(longest)}  ${command.summary()}`
    return width === undefined ? line : cut(line, width)
  })
  return ['Usual commands:', ...lines, '', 'All commands: manager help --all', ''].join('\n')
}

/** For `configureHelp`. */
export const helpConfiguration = {
  sortSubcommands: false,
  visibleCommands: (of: Command): Command[] =>
    plain
      .visibleCommands(of)
      .flatMap((command) => (command.commands.length > 0 ? plain.visibleCommands(command) : [command])),
  subcommandTerm: termOf,
}

/** `list|ls [filter]`, `backups verify <name>`; options are for the command's own help. */
function termOf(command: Command): string {
  const group = command.parent?.parent ? [command.parent.name()] : []
  return [...group, [command.name(), ...command.aliases()].join('|'), ...argumentsOf(command)].join(' ')
}

/** `<name> [filter]` */
export function argumentsOf({ registeredArguments }: Command): string[] {
  return registeredArguments.map((one) => {
    const name = one.name() + (one.variadic ? '...' : '')
    return one.required ? `<${name}>` : `[${name}]`
  })
}
