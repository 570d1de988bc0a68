import { Help, type Command } from 'commander'
import { didYouMean } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import { hiddenGlobalOptions } from './global-options.js'

/**
 * The first word of commands of two, made when it is first asked for. Alone it is its default command, if it has one,
 * else it prints its help.
 *
 * @param heading what it stands below in help
 */
export function commandGroup(program: Command, name: string, heading: string): Command {
  const known = commandNamed(program, name)
  if (known) return known
  const group = program
    .command(`${name} [command]`)
    .usage('<command> [options]')
    .helpGroup(heading)
    .allowExcessArguments()
    .addHelpText('after', `\nHelp of a command: manager ${name} <command> --help`)
  for (const option of hiddenGlobalOptions) group.addOption(option)
  return group
    .action((word: string | undefined) => (word === undefined ? group.help() : unknownCommand(group, word)))
    .hook('preSubcommand', (_, command) => {
      // Words for the default command, which may be another one that was mistyped: `backups verfy demo`.
      const end = group.args.findIndex((word) => word.startsWith('-'))
      const words = group.args.slice(0, end === -1 ? undefined : end)
      const isTyped = commandNamed(group, words[0] ?? '') !== undefined
      if (!isTyped && words.length > command.registeredArguments.length) assertNotMistyped(group, words[0] ?? '')
    })
}

/** By name or alias. */
export function commandNamed({ commands }: Command, word: string): Command | undefined {
  return commands.find((command) => command.name() === word || command.aliases().includes(word))
}

/** @throws ManagerError ERR_USAGE with the commands that were probably meant */
export function unknownCommand(parent: Command, word: string): never {
  const name = parent.parent ? `${parent.name()} ${word}` : word
  const help = didYouMean(name, namesBelow(parent))
  throw new ManagerError('ERR_USAGE', `Unknown command "${name}".`, {
    ...(help !== undefined && { help }),
    command: parent.parent ? `${parent.name()} --help` : '--help',
  })
}

function assertNotMistyped(group: Command, word: string): void {
  if (didYouMean(`${group.name()} ${word}`, namesBelow(group)) !== undefined) unknownCommand(group, word)
}

/** As they are typed after the program's name. */
function namesBelow(parent: Command): string[] {
  const prefix = parent.parent ? `${parent.name()} ` : ''
  const own = new Help().visibleCommands(parent)
  return own.flatMap((command) => [
    ...[command.name(), ...command.aliases()].map((name) => prefix + name),
    ...(command.commands.length > 0 ? namesBelow(command) : []),
  ])
}
