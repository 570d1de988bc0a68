import { ManagerError } from '../../errors.js'
import type { Action, Parameter } from '../action.js'
import type { Caller } from '../domain/caller.js'
import type { Input } from '../domain/input.js'
import { databaseTypes, type Instance } from '../domain/instance.js'
import { checkName } from '../domain/names.js'
import { refOf } from '../runtime/instance-ref.js'
import { describeEngine, inspectInstance, pullFor, shellIn } from '../runtime/container/for-people.js'
import { defineAction, performRow, type CallPlace } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

const runtime = 'container'

const asOthers =
  'The same as the command without "container", for instances that run in containers. On the command line, it runs ' +
  'no hooks. For details, see --help of that command.'

/** What such a row has of its own; all else is that of the row it calls. */
type Alias = Pick<Action, 'summary'> & Partial<Pick<Action, 'examples'>>

/**
 * Those that are the others' for instances in containers, by the names that clients of other managers know.
 *
 * @param others the rows that they call
 */
export function containerActions(others: readonly Action[]): readonly Action[] {
  const named = (name: string) => others.find((action) => action.name === name) as Action

  /** On the command line, hooks do not apply to these commands. Callers of the API must not be able to leave them out. */
  function perform(name: string, { context, caller }: CallPlace, input: Readonly<Record<string, Input>>) {
    const by: Caller = caller.surface === 'cli' ? { ...caller, withoutHooks: true } : caller
    return performRow(named(name), { context, caller: by, input })
  }

  /** The same command for one instance, which must run in a container: with the rights, risks and surfaces of that. */
  function likewise(
    own: string,
    name: string,
    { summary, examples = [`container ${own} demo`] }: Alias,
    more: { readonly parameter?: Parameter; readonly option?: string } = {},
  ): Action {
    const { parameter, option } = more
    const {
      handler: _handler,
      aliases: _aliases,
      formerly: _formerly,
      options: _options,
      harmlessWith: _harmless,
      destructiveWith: _only,
      ...row
    } = named(name)
    return defineAction({
      ...row,
      name: `container ${own}`,
      summary,
      description: asOthers,
      examples,
      parameters: [nameOfInstance, ...(parameter ? [parameter] : [])],
      async handler(call) {
        const instance = (call.input as { readonly name: Instance }).name
        assertContainer(instance)
        const given = parameter && (call.input as Readonly<Record<string, Input>>)[parameter.name]
        return perform(name, call, { name: instance.name, ...(option !== undefined && { [option]: given }) })
      },
    })
  }

  return [
    defineAction({
      name: 'container config',
      group: 'Manager',
      summary: 'Show the container engine, image and network for instances',
      ability: 'admin',
      mutating: false,
      examples: ['container config'],
      view: { type: 'record' },
      async handler({ context }) {
        const item = await describeEngine(context.settings.global.containers)
        return { message: item.message, item }
      },
    }),
    defineAction({
      name: 'container pull',
      group: 'Manager',
      summary: 'Fetch or rebuild the container image',
      description:
        'Pulls APPS_CONTAINER_IMAGE from its registry. If it is not set, builds an image from the Node of this ' +
        'machine, without a registry. Instances use the new image from their next start.',
      ability: 'admin',
      mutating: true,
      examples: ['container pull'],
      view: { type: 'text' },
      async handler({ context, caller }) {
        const { image } = context.settings.global.containers
        if (caller.dryRun)
          return { message: `${image ?? 'An image of this machine'} would be fetched: nothing was done.` }
        const { name, id } = await pullFor(context.settings.global.containers, {
          signal: caller.signal,
          onProgress: (text) => caller.onEvent?.({ type: 'progress', step: 'pull', text }),
        })
        return { message: `The image ${name} is ready (${id}).`, item: { image: name, id } }
      },
    }),
    defineAction({
      name: 'container list',
      group: 'Looking',
      summary: 'List the instances that run in containers',
      ability: 'read',
      mutating: false,
      scoped: true,
      examples: ['container list', 'container list --json'],
      view: { type: 'table', columns: ['name', 'version', 'state', 'health', 'public_url'], empty: 'There are none.' },
      async handler(call) {
        const result = await perform('list', call, {})
        const list = (result.list as readonly { readonly runtime?: string }[]).filter((one) => one.runtime === runtime)
        return { ...result, message: `${list.length} in containers`, list }
      },
    }),
    defineAction({
      name: 'container add',
      group: 'Instances',
      summary: 'Add an instance in a container, and start it',
      description:
        'Without a name, or with -, the instance gets a random name of 10 letters and digits. On the command ' +
        'line, it runs no hooks. For details, see add --help.',
      parameters: [
        { name: 'name', type: 'text', summary: 'Name of 3 to 20 letters and digits, or - for a random one' },
        { name: 'database', type: 'choice', choices: databaseTypes, summary: 'Type of its database' },
      ],
      options: [
        { name: 'from', type: 'text', summary: 'Version, or instance to clone (default: the default version)' },
      ],
      ability: 'operate',
      mutating: true,
      examples: ['container add', 'container add demo', 'container add - postgresql', 'container add demo --from 1.0'],
      view: { type: 'record' },
      async handler(call) {
        const { name, database, from } = call.input
        const given = name === '-' ? undefined : name
        if (given !== undefined) checkName(given)
        return perform('add', call, { name: given, from, database, runtime })
      },
    }),
    likewise('del', 'delete', { summary: 'Delete an instance that runs in a container (moves it to the trash)' }),
    likewise('start', 'start', { summary: 'Start an instance that runs in a container' }),
    likewise('stop', 'stop', { summary: 'Stop an instance that runs in a container' }),
    likewise('restart', 'restart', { summary: 'Restart an instance that runs in a container' }),
    likewise('save', 'save', { summary: 'Back up an instance that runs in a container' }),
    defineAction({
      name: 'container inspect',
      group: 'Looking',
      summary: "Show the container engine's details about the container of an instance",
      description: 'They do not include settings and passwords, which are in a file that only the instance reads.',
      parameters: [nameOfInstance],
      ability: 'sensitive',
      mutating: false,
      examples: ['container inspect demo'],
      view: { type: 'text' },
      async handler({ context, input }) {
        assertContainer(input.name)
        const item = await inspectInstance(context.settings.global.containers, refOf(context, input.name))
        return { message: JSON.stringify(item, undefined, 2), item }
      },
    }),
    likewise(
      'logs',
      'logs',
      {
        summary: 'Show the last lines of the log of an instance that runs in a container',
        examples: ['container logs demo', 'container logs demo 20'],
      },
      {
        parameter: { name: 'lines', type: 'integer', min: 0, max: 100_000, summary: 'Number of lines (default 100)' },
        option: 'lines',
      },
    ),
    defineAction({
      name: 'container shell',
      group: 'Application',
      summary: 'Open a shell in the container of an instance',
      parameters: [nameOfInstance],
      ability: 'sensitive',
      mutating: false,
      changesOutside: () => true,
      surfaces: ['cli'],
      examples: ['container shell demo'],
      view: { type: 'text' },
      async handler({ context, input }) {
        assertContainer(input.name)
        const program = await shellIn(context.settings.global.containers, refOf(context, input.name))
        return { message: `Shell in the container of "${input.name.name}"`, program }
      },
    }),
    likewise('database', 'database', { summary: 'Open the database of an instance that runs in a container' }),
  ]
}

/** @throws ManagerError ERR_STATE */
function assertContainer({ name, runtime: its }: Instance): void {
  if (its === runtime) return
  throw new ManagerError('ERR_STATE', `"${name}" does not run in a container (runtime ${its}).`, {
    help: 'Move it to a container, or use the command without "container".',
    command: `move ${name} --to container`,
  })
}
