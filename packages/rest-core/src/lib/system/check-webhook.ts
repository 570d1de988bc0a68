import type { ErrorMessage } from '../../errors.js'
import { RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord } from '../model/model.js'
import { systemPrincipal } from '../rights/principal.js'
import { allRights } from '../rights/create-rights.js'
import type { WriteContext } from '../service/hooks.js'
import { splitNames } from './check-grant.js'

/**
 * Refuses a webhook that could never work, and one by which a user would get what another user may read: who is no
 * administrator has webhooks for himself only. One that is switched on again starts again.
 */
export async function checkWebhook(context: WriteContext): Promise<void> {
  const { values, old } = context
  const before = await old()
  checkUser(context, before)
  await checkCount(context, before)
  const messages = [
    ...checkUrl(context),
    ...checkSecret(context),
    ...checkObjects(context),
    ...checkRecord(context, before),
  ]
  if (messages.length > 0) throw RestError.validation(messages)
  if (values['whk_active'] === true && before?.['whk_active'] === false) {
    Object.assign(values, { whk_failing_since: '', whk_failures: null, whk_off_reason: '', whk_hold: null })
  }
}

function checkUser({ principal, values, operation }: WriteContext, before: BusinessRecord | undefined): void {
  if (principal.rights === allRights) return
  if (operation === 'create') values['whk_user_id'] ??= principal.userId
  const users = [values['whk_user_id'], before?.['whk_user_id']].filter((id) => id !== undefined)
  if (users.some((id) => id !== principal.userId))
    throw new RestError('ERR_RIGHT', 'Only administrators may have webhooks of other users.')
}

/** For each event, all webhooks are looked at. Not specified; chosen as more than a person looks after. */
const mostPerUser = 100

const everyone = systemPrincipal({ login: 'webhooks' })

async function checkCount(
  { values, object, service }: WriteContext,
  before: BusinessRecord | undefined,
): Promise<void> {
  const user = values['whk_user_id']
  if (typeof user !== 'string' || user === '' || user === before?.['whk_user_id']) return
  // Creations at the same time wait for each other. Whether there is such a user is checked elsewhere.
  const found = await service.get(everyone, 'User', user, { fields: [], lock: true }).catch(ifMissing)
  if (!found) return
  const filter: Filter = { op: '=', field: 'whk_user_id', value: user }
  const { count } = await service.count(everyone, object.name, { filter })
  if (count >= mostPerUser)
    throw new RestError(
      'ERR_CONFLICT',
      `This user has ${count} webhooks; ${mostPerUser} is the limit. Delete some first.`,
    )
}

function ifMissing(error: unknown): undefined {
  if (RestError.is(error) && error.code === 'ERR_NOT_FOUND') return undefined
  throw error
}

function checkUrl({ values }: WriteContext): ErrorMessage[] {
  const text = values['whk_url']
  if (typeof text !== 'string' || text === '' || !URL.canParse(text)) return []
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:')
    return [{ code: 'ERR_TYPE', field: 'whk_url', text: 'Field "whk_url" must be an address with https or http.' }]
  if (username !== '' || password !== '')
    return [{ code: 'ERR_TYPE', field: 'whk_url', text: 'Field "whk_url" must not hold a login or password.' }]
  return []
}

/** The message does not show the value. */
function checkSecret({ values }: WriteContext): ErrorMessage[] {
  const text = values['whk_secret']
  if (typeof text !== 'string' || text === '' || webhookKey(text)) return []
  return [
    {
      code: 'ERR_PATTERN',
      field: 'whk_secret',
      text: 'Field "whk_secret" must be "whsec_" followed by 24 to 64 bytes in base64.',
    },
  ]
}

/** The key in a secret; `undefined` when it is none. Source: Standard Webhooks, "Signature scheme". */
export function webhookKey(secret: string): Buffer | undefined {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const key = Buffer.from(base64 ?? '', 'base64')
  return key.length >= 24 && key.length <= 64 ? key : undefined
}

function checkObjects({ values, service: { model } }: WriteContext): ErrorMessage[] {
  return splitNames(String(values['whk_objects'] ?? ''))
    .filter((name) => model.objects.get(name)?.definition.events !== true)
    .map((name) => ({
      code: 'ERR_REFERENCE',
      field: 'whk_objects',
      text: model.objects.has(name)
        ? `Object "${name}" has no events; its definition needs "events: true".`
        : `There is no object "${name}".`,
    }))
}

function checkRecord({ values }: WriteContext, before: BusinessRecord | undefined): ErrorMessage[] {
  const value = (name: string) => values[name] ?? before?.[name]
  if (value('whk_with_record') !== true || value('whk_user_id')) return []
  return [
    {
      code: 'ERR_REQUIRED',
      field: 'whk_user_id',
      text: 'Field "whk_user_id" is required with "whk_with_record": it says whose rights decide what is sent.',
    },
  ]
}
