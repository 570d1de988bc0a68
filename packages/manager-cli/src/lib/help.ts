import { Help, type Command } from 'commander'
import { commandNamed, unknownCommand } from './command-group.js'

/** Finds what commander itself shows. */
const plain = new Help()

/** Help of all commands lists those of two words one by one; `help backups verify` is `backups verify --help`. */
export function addHelp(program: Command): void {
  program
    .command('help [command...]')
    .summary('Print the help of a command')
    .helpGroup('Manager:')
    .action((words: string[]) => {
      let command = program
      for (const word of words) command = commandNamed(command, word) ?? unknownCommand(command, word)
      command.help()
    })
  program.addHelpText('after', '\nFor help on a command, run: manager <command> --help')
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
  const args = command.registeredArguments.map((one) => {
    const name = one.name() + (one.variadic ? '...' : '')
    return one.required ? `<${name}>` : `[${name}]`
  })
  return [...group, [command.name(), ...command.aliases()].join('|'), ...args].join(' ')
}
