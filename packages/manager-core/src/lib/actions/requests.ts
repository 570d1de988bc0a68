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
  summary: 'Number of the request, see "requests"',
} as const satisfies Parameter

const requests = defineAction({
  name: 'requests list',
  aliases: ['requests'],
  group: 'Requests',
  summary: 'List requests for instances, latest first',
  description:
    'Requires APPS_ALLOWREGISTER=yes. A request is unconfirmed until the person answers a mail, then confirmed ' +
    'until it is decided, then approved (the instance exists), rejected, or failed (the instance could not be ' +
    'created). Unconfirmed requests are removed after three days.',
  options: [{ name: 'status', short: 's', type: 'choice', choices: requestStatuses, summary: 'In this state' }],
  ability: 'operate',
  mutating: false,
  examples: ['requests', 'requests --status confirmed'],
  view: {
    type: 'table',
    columns: ['id', 'status', 'name', 'version', 'email', 'created', 'decided_by', 'instance', 'note'],
    empty: 'No requests match.',
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
  summary: 'Approve a request: create the instance, and mail its address',
  description:
    'Creates the instance as "add" does, with the person as its owner. If that fails, everything is removed ' +
    "again, and the request can be approved again. The mail contains a link to choose the administrator's " +
    'password; it works once and expires after a week.',
  parameters: [id],
  options: [{ name: 'as', type: 'new-name', summary: 'Name of the instance (default: the requested one)' }],
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
    message: `Instance "${instance.name}" is ready for ${request.email}: ${address}`,
    item: wireInstance(instance, context.settings.global),
    ...(warnings.length > 0 && { warnings }),
  }
}

const password = defineAction({
  name: 'requests password',
  group: 'Requests',
  summary: 'Mail a new link to choose the password of an approved instance',
  description:
    'For people who lost the first link; it replaces all earlier links. People whose link has expired can also ' +
    'request another one themselves. A link never overwrites a password that was already changed.',
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
        throw new ManagerError('ERR_STATE', `Request ${number} is not approved, so it has no instance.`, {
          command: 'requests',
        })
      const instance = context.registry.get(request.instance)
      if (caller.dryRun) return { message: `${request.email} would get a new link.` }
      const { id: instanceId, name } = instance
      const entry = { action: 'requests password', instance: { id: instanceId, name }, parameters: { request: number } }
      return recordHistory(context, caller, entry, async () => {
        await mailPasswordLink(context, request, instance, 'password')
        return { message: `${request.email} got a new link for "${name}".` }
      })
    })
  },
})

const reject = defineAction({
  name: 'requests reject',
  group: 'Requests',
  summary: 'Reject a request for an instance, and notify the person',
  parameters: [id],
  options: [{ name: 'reason', type: 'text', summary: 'Reason, which the person can read' }],
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
      if (caller.dryRun) return { message: `Request ${number} would be rejected, and ${request.email} notified.` }
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

/** @returns warnings: why the person was not notified */
async function mailOrNote(
  context: ManagerContext,
  { id: number, email }: InstanceRequest,
  send: () => Promise<void>,
): Promise<readonly string[]> {
  if (!context.mailer.enabled) return [`${email} was not notified: no mail server is set (APPS_MAILSERVER).`]
  try {
    await send()
    return []
  } catch (error) {
    const warning = `${email} was not notified: ${(error as Error).message}`
    context.registry.transaction(() => updateRequest(context.registry, number, { note: warning }))
    return [warning]
  }
}

export const requestActions: readonly Action[] = [requests, approve, reject, password]
