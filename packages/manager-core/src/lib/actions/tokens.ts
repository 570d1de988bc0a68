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
  summary: 'Make a token for a program or a person',
  description:
    'The token is shown once; only a hash of it is kept. It is sent as "Authorization: Bearer <token>", or as the password ' +
    'of the log-in (with any user). Abilities: read; operate, which is read too; admin, which is both; and sensitive by ' +
    'itself: downloads, credentials, the terminal. With --instances it is for these instances only, also when they are ' +
    'renamed; actions about the whole manager are refused then, and it may give its instances no other hosts (seturl, ' +
    'rename) than those of --hosts. What is done with it is in the history as "token <name>".',
  parameters: [{ name: 'name', type: 'text', required: true, summary: 'Name of the token' }],
  options: [
    { name: 'abilities', type: 'text', summary: `Of ${allAbilities.join(', ')}, with commas between (default: read)` },
    {
      name: 'instances',
      type: 'text',
      nonEmpty: true,
      summary: 'Names of instances, with commas between (default: all)',
    },
    {
      name: 'hosts',
      type: 'text',
      nonEmpty: true,
      summary:
        'With --instances: hosts that it may give to them by seturl and rename, with commas between (default: none)',
    },
    { name: 'days', type: 'integer', min: 0, max: 36_500, summary: 'Days that it holds; 0: for ever (default: 365)' },
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
    const instances = chosenInstances(input.instances, context)
    const hosts = chosenHosts(input.hosts, input.instances)
    const days = input.days ?? 365
    const expires = days === 0 ? '' : new Date(context.clock().getTime() + days * 86_400_000).toISOString()
    const ids = instances?.map(({ id }) => id)
    const wanted = { name, abilities, instances: ids, hosts, createdBy: caller.actor, expires }
    if (caller.dryRun)
      return {
        message: `Token "${name}" would be made.`,
        item: wire({ ...wanted, id: '', created: '', lastUsed: '' }, context),
      }
    const parameters = { token: name, abilities, instances: instances?.map((one) => one.name) ?? null, hosts, expires }
    return recordHistory(context, caller, { action: 'token add', parameters, isSecret: true }, () => {
      const { token, secret } = createTokens(context).add(wanted)
      return {
        message: `Token "${name}" is made. Keep it, it is not shown again:\n${secret.reveal()}`,
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
  summary: 'Remove a token, so that it is valid no longer',
  parameters: [{ name: 'name', type: 'text', required: true, summary: 'Name of the token' }],
  ability: 'admin',
  mutating: true,
  direct: true,
  destructive: 'Who uses the token "{name}" is refused from then on.',
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
  throw new ManagerError('ERR_NAME', `"${name.slice(0, 60)}" is no name of a token.`, {
    help: 'Names are at most 60 letters, digits, and . _ - @ or spaces, and begin with a letter or digit.',
  })
}

/** Nobody gives what they do not have. */
function chosenAbilities(wanted = 'read', caller: Caller): readonly Ability[] {
  const words = wanted.split(',').map((word) => word.trim().toLowerCase())
  const unknown = words.find((word) => !allAbilities.some((one) => one === word))
  if (unknown !== undefined)
    throw new ManagerError('ERR_USAGE', `"${unknown.slice(0, 40)}" is no ability.`, {
      help: didYouMean(unknown, allAbilities) ?? `Abilities are ${allAbilities.join(', ')}.`,
    })
  const chosen = allAbilities.filter((one) => words.includes(one))
  const missing = chosen.find((one) => caller.abilities?.has(one) === false)
  if (missing === undefined) return chosen
  throw new ManagerError('ERR_ACCESS', `You cannot give the ability "${missing}", which you do not have.`)
}

function chosenInstances(wanted: string | undefined, { registry }: ManagerContext) {
  const names = wanted?.split(',').map((name) => name.trim())
  return names?.map((name) => registry.get(name))
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
      help: 'Give host names without scheme, port and path: shop.example.com,www.example.com',
    })
  })
}

function wire(token: Token, { registry }: Pick<ManagerContext, 'registry'>) {
  const { name, abilities, instances, hosts, created, createdBy, expires, lastUsed } = token
  return {
    name,
    abilities: abilities.join(', '),
    /** Of those that are gone the id. */
    instances: instances?.map((id) => registry.byId(id)?.name ?? id).join(', ') ?? 'all',
    hosts: instances ? hosts.join(', ') : 'all',
    expires,
    last_used: lastUsed,
    created,
    created_by: createdBy,
  }
}
