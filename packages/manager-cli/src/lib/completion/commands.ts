import { Argument, type Command } from 'commander'
import type { Action, Manager } from '@steward/manager-core'
import { candidatesFor } from './complete.js'
import { completionScript, shells, type Shell } from './scripts.js'

export interface CompletionOptions {
  readonly actions: readonly Action[]
  /** The manager whose instances, versions and runtimes are offered. */
  readonly manager: () => Manager
  readonly print: (text: string) => void
}

/** Adds `completion <shell>`, and what its scripts call. */
export function addCompletion(program: Command, { actions, manager, print }: CompletionOptions): void {
  program
    .command('completion')
    .summary('Print a completion script for a shell')
    .description('Print a script that completes commands, instance names, versions and option values in a shell.')
    .helpGroup('Manager:')
    .addArgument(new Argument('<shell>', 'Shell').choices(shells))
    .addHelpText('after', '\nExamples:\n  eval "$(manager completion bash)"\n  manager completion fish | source')
    .action((shell: Shell) => print(completionScript(shell)))
  program
    .command('complete [words...]', { hidden: true })
    .allowUnknownOption()
    .action((words: string[]) => {
      const registry = () => registryOf(manager)
      const candidates = candidatesFor(words, {
        actions,
        instances: () =>
          registry()
            ?.instances()
            .map(({ name }) => name) ?? [],
        versions: () =>
          registry()
            ?.versions()
            .map(({ version }) => version) ?? [],
        runtimes: () => manager().context.runtimes.names,
      })
      if (candidates === 'files') return print(':files\n')
      print(candidates.map(({ value, description }) => `${value}\t${description}\n`).join(''))
    })
}

/** Where there is no home there is nothing to complete; that is not an error while a user types. */
function registryOf(manager: () => Manager): Manager['context']['registry'] | undefined {
  try {
    return manager().context.registry
  } catch {
    return undefined
  }
}
