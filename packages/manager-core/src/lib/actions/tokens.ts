import { ManagerError } from '../../errors.js'
import { createTokens, type Token } from '../access/tokens.js'
import type { Action } from '../action.js'
import type { ManagerContext } from '../context.js'
import { abilities as allAbilities, type Ability } from '../domain/ability.js'
import { addressOf } from '../domain/address.js'
import type { Caller } from '../domain/caller.js'
import { didYouMean } from '../domain/near-miss.js'
import { countText } from '../domain/readable.js'
import { recordHistory } from '../history/record-history.js'
import { defineAction } from './define-action.js'

const add = defineAction({
  name: 'token add',
  group: 'Access',
  summary: 'Create a token for a program or a person',
  description:
    'The token is shown once; only a hash of it is stored. Send it as "Authorization: Bearer <token>", or as the ' +
    'password of the log-in (with any user). Abilities: read; operate, which includes read; admin, which ' +
    'includes both; and sensitive: downloads, credentials, the terminal. With --instances, the token is limited ' +
    'to these instances, even if they are renamed; it cannot run actions on the whole manager, and it can give ' +
    'its instances only the hosts of --hosts (seturl, rename). In the history, its actions appear as "token ' +
    '<name>".',
  parameters: [{ name: 'name', type: 'text', required: true, summary: 'Name of the token' }],
  options: [
    {
      name: 'abilities',
      type: 'text',
      summary: `Abilities, separated by commas: ${allAbilities.join(', ')} (default: read)`,
    },
    {
      name: 'instances',
      type: 'text',
      nonEmpty: true,
      summary: 'Names of instances, separated by commas (default: all)',
    },
    {
      name: 'hosts',
      type: 'text',
      nonEmpty: true,
      summary: 'With --instances: hosts allowed for seturl and rename, separated by commas (default: none)',
    },
    { name: 'days', type: 'integer', min: 0, max: 36_500, summary: 'Days until it expires; 0: never (default: 365)' },
  ],
  ability: 'admin',
  mutating: true,
  direct: true,
  examples: [
    'token add prometheus',
    'token add deploy --abilities operate --instances demo,shop --days 30',
    'token add shop --abilities operate --instances shop --hosts shop.example.com',
    'token add auditor --abilities read,sensitive',
  ],
  view: { type: 'text' },
  async handler(call) {
    const { context, input, caller } = call
    const name = checkedName(input.name)
    const abilities = chosenAbilities(input.abilities, caller)
    const { scope, names } = chosenScope(input, context)
    const days = input.days ?? 365
    const expires = days === 0 ? '' : new Date(context.clock().getTime() + days * 86_400_000).toISOString()
    const wanted = { name, abilities, scope, createdBy: caller.actor, expires }
    if (caller.dryRun)
      return {
        message: `Token "${name}" would be created.`,
        item: wire({ ...wanted, id: '', created: '', lastUsed: '' }, context),
      }
    const parameters = { token: name, abilities, instances: names, hosts: scope.all ? [] : scope.hosts, expires }
    return recordHistory(context, caller, { action: 'token add', parameters, isSecret: true }, () => {
      const { token, secret } = createTokens(context).add(wanted)
      return {
        message: `Token "${name}" is created. Copy it now, it is not shown again:\n${secret.reveal()}`,
        item: { token: secret.reveal(), ...wire(token, context) },
      }
    })
  },
})

const list = defineAction({
  name: 'token list',
  group: 'Access',
  summary: 'List the tokens',
  ability: 'admin',
  mutating: false,
  examples: ['token list'],
  view: {
    type: 'table',
    columns: ['name', 'abilities', 'instances', 'hosts', 'expires', 'last_used', 'created_by'],
    empty: 'There are no tokens.',
  },
  async handler({ context }) {
    const tokens = createTokens(context).list()
    return {
      message: countText(tokens.length, 'token'),
      list: tokens.map((token) => wire(token, context)),
    }
  },
})

const remove = defineAction({
  name: 'token remove',
  group: 'Access',
  summary: 'Revoke a token',
  parameters: [{ name: 'name', type: 'text', required: true, summary: 'Name of the token' }],
  ability: 'admin',
  mutating: true,
  direct: true,
  destructive: 'Programs and people that use the token "{name}" lose access.',
  examples: ['token remove prometheus'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const name = input.name
    if (caller.dryRun) return { message: `Token "${name}" would be removed.` }
    return recordHistory(
      context,
      caller,
      { action: 'token remove', parameters: { token: name.slice(0, 100) } },
      () => ({ message: `Token "${createTokens(context).remove(name).name}" is removed.` }),
    )
  },
})

export const tokenActions: readonly Action[] = [add, list, remove]

function checkedName(name: string): string {
  if (/^[\w][\w.@ -]{0,59}$/.test(name)) return name
  throw new ManagerError('ERR_NAME', `"${name.slice(0, 60)}" is not a valid token name.`, {
    help: 'Use up to 60 letters, digits, spaces and . _ - @, with a letter or digit first.',
  })
}

/** A caller cannot give rights that they do not have. */
function chosenAbilities(wanted = 'read', caller: Caller): readonly Ability[] {
  const words = wanted.split(',').map((word) => word.trim().toLowerCase())
  const unknown = words.find((word) => !allAbilities.some((one) => one === word))
  if (unknown !== undefined)
    throw new ManagerError('ERR_USAGE', `Unknown ability "${unknown.slice(0, 40)}".`, {
      help: didYouMean(unknown, allAbilities) ?? `Use one of: ${allAbilities.join(', ')}.`,
    })
  const chosen = allAbilities.filter((one) => words.includes(one))
  const missing = chosen.find((one) => !caller.grant.abilities.has(one))
  if (missing === undefined) return chosen
  throw new ManagerError('ERR_ACCESS', `You cannot grant the ability "${missing}", because you do not have it.`)
}

/** @throws ManagerError ERR_USAGE, ERR_NOT_FOUND */
function chosenScope(
  { instances, hosts }: { readonly instances?: string | undefined; readonly hosts?: string | undefined },
  { registry }: ManagerContext,
): { readonly scope: Token['scope']; readonly names: readonly string[] | null } {
  const chosen = chosenHosts(hosts, instances)
  if (instances === undefined) return { scope: { all: true }, names: null }
  const rows = instances.split(',').map((name) => registry.get(name.trim()))
  const names = rows.map(({ name }) => name)
  return { scope: { all: false, instances: rows.map(({ id }) => id), hosts: chosen }, names }
}

/** @throws ManagerError ERR_USAGE */
function chosenHosts(wanted: string | undefined, instances: string | undefined): readonly string[] {
  const words = wanted?.split(',').map((word) => word.trim()) ?? []
  if (words.length > 0 && instances === undefined)
    throw new ManagerError('ERR_USAGE', '--hosts needs --instances: a token for all instances may use any host.')
  return words.map((word) => {
    const address = addressOf(`http://${word}`)
    if (address?.path === '' && !/[:/@]/.test(word)) return address.host
    throw new ManagerError('ERR_USAGE', `"${word.slice(0, 80)}" is not a host.`, {
      help: 'Use host names without scheme, port and path: shop.example.com,www.example.com',
    })
  })
}

/** A token, as `token list` answers it; the secret is shown once, by `token add`. */
export type WireToken = ReturnType<typeof wire>

function wire(token: Token, { registry }: Pick<ManagerContext, 'registry'>) {
  const { name, abilities, scope, created, createdBy, expires, lastUsed } = token
  return {
    name,
    abilities: abilities.join(', '),
    /** Those that are gone are shown by their id. */
    instances: scope.all ? 'all' : scope.instances.map((id) => registry.byId(id)?.name ?? id).join(', '),
    hosts: scope.all ? 'all' : scope.hosts.join(', '),
    expires,
    last_used: lastUsed,
    created,
    created_by: createdBy,
  }
}
