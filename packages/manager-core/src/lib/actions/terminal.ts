import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ManagerError } from '../../errors.js'
import { accountAt, asAccountWith } from '../accounts/account.js'
import type { Action } from '../action.js'
import { isRunning } from '../domain/instance.js'
import { recordHistory } from '../history/record-history.js'
import { refOf } from '../runtime/instance-ref.js'
import { shellEnvironment } from '../terminal/shell-environment.js'
import { defineAction } from './define-action.js'
import { nameOfInstance } from './shared-inputs.js'

const shell = defineAction({
  name: 'shell',
  aliases: ['sh'],
  group: 'Application',
  summary: 'Open a shell in the folder of an instance',
  description:
    'The shell has the environment of the application server, including its secrets, and the SERVICE_ variables ' +
    'of hooks. Manager commands in it apply to this instance by default, for example: manager status.',
  parameters: [nameOfInstance],
  ability: 'sensitive',
  mutating: false,
  changesOutside: () => true,
  surfaces: ['cli'],
  examples: ['shell demo'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const instance = input.name
    const { folder, data } = context.home.instance(instance.id)
    const account = accountAt(folder)
    const shellOf = asAccountWith(account, '/bin/sh', {
      ...(await shellEnvironment(context, instance)),
      ...(account && { HOME: data, USER: account.name, LOGNAME: account.name }),
    })
    return recordHistory(context, caller, { action: 'shell', instance }, () => ({
      message: `Shell of "${instance.name}" in ${folder}`,
      program: {
        // The account of the person at the terminal, not of the one who runs the manager.
        command: shellOf.program,
        args: [...shellOf.before, '-c', 'exec "${SHELL:-/bin/sh}"'],
        environment: shellOf.environment,
        isolated: account !== undefined,
        folder,
      },
    }))
  },
})

const database = defineAction({
  name: 'database',
  aliases: ['db'],
  formerly: ['sql'],
  group: 'Application',
  summary: 'Open the database of an instance in its database client',
  description:
    'The client is sqlite3, psql, mysql, sqlplus (or SQLcl) or sqlcmd, with the rights of the instance. With an ' +
    'input file, the client runs the statements in it. An embedded database (sqlite) belongs to its application ' +
    'server, so the instance must be stopped.',
  parameters: [nameOfInstance, { name: 'file', type: 'file', summary: 'Input file: statements for the client' }],
  ability: 'sensitive',
  mutating: false,
  changesOutside: () => true,
  surfaces: ['cli'],
  examples: ['database demo', 'db demo patch.sql'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const { runtimes, settings, databases, home } = context
    const instance = input.name
    const { state } = await runtimes.of(instance).observe(refOf(context, instance))
    if (instance.database === 'sqlite' && isRunning(state))
      throw new ManagerError(
        'ERR_STATE',
        `"${instance.name}" must be stopped first, because its database is embedded.`,
        {
          command: `stop ${instance.name}`,
        },
      )
    const file = input.file === undefined ? undefined : resolve(input.file)
    if (file !== undefined && !existsSync(file)) throw new ManagerError('ERR_USAGE', `File not found: ${file}`)
    const { folder } = home.instance(instance.id)
    const account = databases.account(folder, await settings.instance(folder))
    // It runs as the account of the instance, or without capabilities.
    const { command, args, environment } = await databases.server(instance.database).client(account)
    const parameters = file === undefined ? {} : { file }
    return recordHistory(context, caller, { action: 'database', instance, parameters }, () => ({
      message: `Database of "${instance.name}"`,
      program: {
        command,
        args,
        environment,
        folder,
        isolated: accountAt(folder) !== undefined,
        ...(file !== undefined && { input: file }),
      },
    }))
  },
})

export const terminalActions: readonly Action[] = [shell, database]
