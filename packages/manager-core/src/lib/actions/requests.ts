import { ManagerError } from '../../errors.js'
import type { Action, ActionResult, Parameter } from '../action.js'
import type { ManagerContext } from '../context.js'
import { randomId } from '../domain/names.js'
import { countText } from '../domain/readable.js'
import { requestStatuses, type InstanceRequest } from '../domain/request.js'
import { recordHistory } from '../history/record-history.js'
import { addKind } from '../instances/create.js'
import type { CreationRequest } from '../instances/creation.js'
import { wireInstance } from '../instances/wire-instance.js'
import { checkRequestsAllowed, forgetUnconfirmed, whyClosed } from '../requests/availability.js'
import { checkUndecided, markFailed, requestOf, whileDeciding } from '../requests/decide.js'
import { mailTo } from '../requests/mails.js'
import { mailPasswordLink } from '../requests/password-links.js'
import { publicUrlOf } from '../settings/public-url.js'
import { requestsIn, updateRequest } from '../store/request-rows.js'
import { defineAction, type CallPlace } from './define-action.js'
import { runOperation } from './run-operation.js'

const id = {
  name: 'id',
  type: 'integer',
  min: 1,
  required: true,
  summary: 'Its number, see "requests"',
} as const satisfies Parameter

const requests = defineAction({
  name: 'requests list',
  aliases: ['requests'],
  group: 'Requests',
  summary: 'List requests for instances, the newest first',
  description:
    'Only when APPS_ALLOWREGISTER=yes. A request is unconfirmed until the person has answered a mail, confirmed until ' +
    'somebody decides on it, then approved (its instance is there), rejected, or failed (the instance could not be made). ' +
    'Unconfirmed ones are forgotten after three days.',
  options: [{ name: 'status', short: 's', type: 'choice', choices: requestStatuses, summary: 'In this state' }],
  ability: 'operate',
  mutating: false,
  examples: ['requests', 'requests --status confirmed'],
  view: {
    type: 'table',
    columns: ['id', 'status', 'name', 'version', 'email', 'created', 'decided_by', 'instance', 'note'],
    empty: 'There are no such requests.',
  },
  async handler({ context, input }) {
    checkRequestsAllowed(context)
    forgetUnconfirmed(context)
    const list = requestsIn(context.registry).filter(
      ({ status }) => input.status === undefined || status === input.status,
    )
    const closed = whyClosed(context)
    return {
      message: countText(list.length, 'request'),
      list: list.map((request) => ({ ...request })),
      ...(closed !== undefined && { warnings: [closed] }),
    }
  },
})

const approve = defineAction({
  name: 'requests approve',
  group: 'Requests',
  summary: 'Make the instance that somebody asked for, and tell them its address',
  description:
    'The instance is added as add does it, with the person as its owner. When it cannot be made, nothing of it is left, the ' +
    'request is there still, and may be approved once more. The mail has a link, which works once and for a week, by which ' +
    'the person chooses the password of the administrator.',
  parameters: [id],
  options: [{ name: 'as', type: 'new-name', summary: 'Name that it gets (default: the one asked for)' }],
  ability: 'operate',
  mutating: true,
  examples: ['requests approve 12', 'requests approve 12 --as demo2'],
  view: { type: 'record' },
  async handler(call) {
    const { context, input, caller } = call
    checkRequestsAllowed(context)
    const number = input.id
    return whileDeciding(context, number, caller, async () => {
      const request = requestOf(context, number)
      // Its mail was not sent.
      if (request.status === 'approved' && request.note !== '' && !caller.dryRun) return tell(call, request)
      checkUndecided(request)
      return approved(call, input.as ?? request.name, request)
    })
  },
})

async function approved(call: CallPlace, name: string, request: InstanceRequest): Promise<ActionResult> {
  const { context, caller } = call
  const creation: CreationRequest = {
    id: randomId(),
    name,
    from: { version: request.version },
    database: null,
    protected: null,
    autoSave: null,
    autoUpdate: null,
    start: null,
    owner: {
      ownerEmail: request.email,
      firstname: request.firstname,
      lastname: request.lastname,
      phone: request.phone,
      company: request.company,
    },
    decision: { request: request.id, by: caller.actor, at: context.clock().toISOString() },
  }
  try {
    return await runOperation(call, addKind, creation, async ({ warnings }) => {
      const { warnings: ofMail = [], ...told } = await tell(call, requestOf(context, request.id))
      const all = [...warnings, ...ofMail]
      return { ...told, ...(all.length > 0 && { warnings: all }) }
    })
  } catch (error) {
    if (ManagerError.is(error) && ['ERR_ROLLED_BACK', 'ERR_ATTENTION'].includes(error.code))
      markFailed(context, request.id, error.message)
    throw error
  }
}

/** The mail of an approval; not sent, it is a warning. */
async function tell({ context }: CallPlace, request: InstanceRequest): Promise<ActionResult> {
  const instance = context.registry.get(request.instance)
  const address = publicUrlOf(instance, context.settings.global)
  const warnings = await mailOrNote(context, request, async () => {
    await mailPasswordLink(context, request, instance, 'approved')
    context.registry.transaction(() => updateRequest(context.registry, request.id, { note: '' }))
  })
  return {
    message: `Instance "${instance.name}" is there for ${request.email}: ${address}`,
    item: wireInstance(instance, context.settings.global),
    ...(warnings.length > 0 && { warnings }),
  }
}

const password = defineAction({
  name: 'requests password',
  group: 'Requests',
  summary: 'Mail another link to choose the password of an approved instance',
  description:
    'For people who lost the first one; it replaces all that they got before. People whose link has expired can ask for ' +
    'another one by themselves. A password that was changed already is never overwritten by a link.',
  parameters: [id],
  ability: 'operate',
  mutating: true,
  examples: ['requests password 12'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    checkRequestsAllowed(context)
    const number = input.id
    return whileDeciding(context, number, caller, async () => {
      const request = requestOf(context, number)
      if (request.status !== 'approved')
        throw new ManagerError('ERR_STATE', `Request ${number} was not approved: there is no instance yet.`, {
          command: 'requests',
        })
      const instance = context.registry.get(request.instance)
      if (caller.dryRun) return { message: `${request.email} would get another link.` }
      const { id: instanceId, name } = instance
      const entry = { action: 'requests password', instance: { id: instanceId, name }, parameters: { request: number } }
      return recordHistory(context, caller, entry, async () => {
        await mailPasswordLink(context, request, instance, 'password')
        return { message: `${request.email} got another link for "${name}".` }
      })
    })
  },
})

const reject = defineAction({
  name: 'requests reject',
  group: 'Requests',
  summary: 'Reject a request for an instance, and tell the person',
  parameters: [id],
  options: [{ name: 'reason', type: 'text', summary: 'Why, for the person to read' }],
  ability: 'operate',
  mutating: true,
  examples: ['requests reject 12', 'requests reject 12 --reason "Please ask your department."'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    checkRequestsAllowed(context)
    const number = input.id
    return whileDeciding(context, number, caller, async () => {
      const request = requestOf(context, number)
      const reason = input.reason
      const parameters = { request: number, reason: reason ?? null }
      const instance = { id: '', name: request.name }
      checkUndecided(request)
      if (caller.dryRun) return { message: `Request ${number} would be rejected, and ${request.email} told.` }
      return recordHistory(context, caller, { action: 'requests reject', instance, parameters }, async () => {
        context.registry.transaction(() =>
          updateRequest(context.registry, number, {
            status: 'rejected',
            note: reason ?? '',
            decided_by: caller.actor,
            decided: context.clock().toISOString(),
          }),
        )
        const said = { reason: reason === undefined ? '' : `\n\n${reason}` }
        const warnings = await mailOrNote(context, request, () => mailTo(context, request, 'rejected', said))
        return { message: `Request ${number} is rejected.`, ...(warnings.length > 0 && { warnings }) }
      })
    })
  },
})

/** @returns warnings: why the person was not told */
async function mailOrNote(
  context: ManagerContext,
  { id: number, email }: InstanceRequest,
  send: () => Promise<void>,
): Promise<readonly string[]> {
  if (!context.mailer.enabled) return [`${email} was not told: no mail server is set (APPS_MAILSERVER).`]
  try {
    await send()
    return []
  } catch (error) {
    const warning = `${email} was not told: ${(error as Error).message}`
    context.registry.transaction(() => updateRequest(context.registry, number, { note: warning }))
    return [warning]
  }
}

export const requestActions: readonly Action[] = [requests, approve, reject, password]
