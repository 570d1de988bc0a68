import { ManagerError } from '../../errors.js'
import type { Action, ActionResult, Option } from '../action.js'
import { alarmOf } from '../certificates/alarms.js'
import { checkHost } from '../certificates/hosts.js'
import { checkAcme, issueCertificate } from '../certificates/issue.js'
import { publishCertificates, renewCertificates, type Renewal } from '../certificates/renew.js'
import { removeCertificate } from '../certificates/stored.js'
import { dueCertificates, surveyCertificates, type Surveyed } from '../certificates/survey.js'
import type { Json } from '../domain/json.js'
import { recordHistory } from '../history/record-history.js'
import { lockOptionsOf } from '../system/lock-options.js'
import { defineAction, type CallOf } from './define-action.js'

const force = {
  name: 'force',
  type: 'flag',
  summary: 'Try now, even if a recent attempt failed',
} as const satisfies Option

const list = defineAction({
  name: 'certificates list',
  aliases: ['certificates'],
  group: 'Manager',
  summary: 'List HTTPS certificates: hosts, expiry and problems',
  description:
    'Lists the configured certificate (APPS_SERVER_CERT), those issued over ACME and, with APPS_ACME=yes, ' +
    'addresses without one. The server renews issued certificates when a third of their lifetime is left.',
  ability: 'read',
  mutating: false,
  examples: ['certificates', 'certificates list --json'],
  view: {
    type: 'table',
    columns: ['name', 'origin', 'state', 'hosts', 'until', 'renewal', 'issuer', 'problem'],
    empty: 'There are no certificates.',
  },
  async handler({ context }) {
    const surveyed = surveyCertificates(context)
    const wrong = surveyed.filter((one) => alarmOf(one) !== undefined).length
    return {
      message: `${counted(surveyed.length)}${wrong > 0 ? `, ${wrong} with problems` : ''}`,
      list: surveyed.map(wireCertificate),
    }
  },
})

function wireCertificate(one: Surveyed): Json {
  const { name, origin, hosts, state, info, renewal, attempts } = one
  return {
    name,
    origin,
    state,
    hosts: hosts.join(' '),
    from: info?.from.toISOString() ?? '',
    until: info?.until.toISOString() ?? '',
    renewal: renewal?.toISOString() ?? '',
    issuer: info?.issuer ?? '',
    failures: attempts?.failures ?? 0,
    next: attempts?.next ?? '',
    problem: one.problem ?? attempts?.message ?? '',
  }
}

const issue = defineAction({
  name: 'certificates issue',
  group: 'Manager',
  summary: 'Issue certificates over ACME: one for the given hosts, or one for each address',
  description:
    'Requires APPS_ACME=yes. The authority calls http://<host>/.well-known/acme-challenge/… for each host, so ' +
    'each name must lead to this machine and "serve" must run. After a failure there is a pause before the next ' +
    'attempt, because authorities limit failures. For new addresses, the server issues certificates ' +
    'automatically.',
  parameters: [
    {
      name: 'hosts',
      type: 'text',
      variadic: true,
      summary: 'Host names (default: all addresses without a certificate)',
    },
  ],
  options: [force],
  ability: 'admin',
  mutating: true,
  examples: ['certificates issue', 'certificates issue apps.example.org www.apps.example.org'],
  view: { type: 'table', columns: ['name', 'hosts', 'result'], empty: 'Every address has a certificate.' },
  async handler(call) {
    const { context, input, caller } = call
    checkAcme(context)
    const named = (input.hosts ?? []).flatMap((one) => one.split(/[\s,]+/))
    const hosts = [...new Set(named.filter((one) => one !== '').map(checkHost))]
    if (hosts.length === 0) return renewed(call, (all) => all.filter(({ state }) => state === 'missing'))
    if (caller.dryRun) return { message: `A certificate would be issued for ${hosts.join(', ')}: nothing was done.` }
    await context.proxies.publish(caller)
    await issueCertificate(context, hosts, caller, { action: 'certificates issue', force: input.force })
    const warnings = await publishCertificates(context, caller)
    return answer([{ name: hosts[0]!, hosts }], warnings)
  },
})

const renew = defineAction({
  name: 'certificates renew',
  group: 'Manager',
  summary: 'Renew certificates that are due, and issue those that are missing',
  description: 'The server does this automatically. With a name, that certificate is renewed even if it is not due.',
  parameters: [
    {
      name: 'certificate',
      type: 'text',
      summary: 'Name of the certificate, see "certificates" (default: all that are due)',
    },
  ],
  options: [force],
  ability: 'admin',
  mutating: true,
  examples: ['certificates renew', 'certificates renew apps.example.org --force'],
  view: { type: 'table', columns: ['name', 'hosts', 'result'], empty: 'No certificate is due.' },
  async handler(call) {
    checkAcme(call.context)
    const name = call.input.certificate
    if (name === undefined) return renewed(call, (all) => dueCertificates(all, call.context.clock()))
    return renewed(call, (all) => [named(all, name)])
  },
})

/** @throws ManagerError ERR_NOT_FOUND */
function named(all: readonly Surveyed[], name: string): Surveyed {
  const found = all.find((one) => one.origin === 'acme' && one.name === name.toLowerCase())
  if (found) return found
  throw new ManagerError('ERR_NOT_FOUND', `No issued certificate is named "${name.slice(0, 60)}".`, {
    command: 'certificates',
  })
}

async function renewed(
  { context, caller, input }: CallOf<typeof force>,
  choose: (all: readonly Surveyed[]) => readonly Surveyed[],
): Promise<ActionResult> {
  if (caller.dryRun) {
    const chosen = choose(surveyCertificates(context))
    return {
      message: `${counted(chosen.length)} would be issued: nothing was done.`,
      list: chosen.map(({ name, hosts }) => ({ name, hosts: hosts.join(' '), result: 'would be issued' })),
    }
  }
  const { renewals, warnings } = await renewCertificates(context, caller, choose, { force: input.force })
  return answer(renewals, warnings)
}

function answer(renewals: readonly Renewal[], warnings: readonly string[]): ActionResult {
  const failed = renewals.filter(({ error }) => error !== undefined).length
  return {
    message: `Issued: ${counted(renewals.length - failed)}${failed > 0 ? `; failed: ${failed}` : ''}.`,
    list: renewals.map(({ name, hosts, error }) => ({ name, hosts: hosts.join(' '), result: error ?? 'issued' })),
    ...(warnings.length > 0 && { warnings }),
    ...(failed > 0 && { exitCode: 1 }),
  }
}

const remove = defineAction({
  name: 'certificates remove',
  group: 'Manager',
  summary: 'Remove an issued certificate and its key',
  description: 'With APPS_ACME=yes, the server soon issues another one if the address is still in use.',
  parameters: [
    { name: 'certificate', type: 'text', required: true, summary: 'Name of the certificate, see "certificates"' },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'The certificate {certificate} and its key will be lost.',
  examples: ['certificates remove old.example.org'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const all = surveyCertificates(context).filter(({ state }) => state !== 'missing')
    const { name } = named(all, input.certificate)
    if (caller.dryRun) return { message: `The certificate ${name} would be removed: nothing was done.` }
    const options = lockOptionsOf(caller, `removal of certificate ${name}`, context.clock())
    const entry = { action: 'certificates remove', parameters: { name } }
    const work = async () => {
      await removeCertificate(context.home, name)
      const warnings = await publishCertificates(context, caller)
      return { message: `The certificate ${name} is removed.`, ...(warnings.length > 0 && { warnings }) }
    }
    return context.locks.with(['certificates'], options, () => recordHistory(context, caller, entry, work))
  },
})

function counted(count: number): string {
  return count === 1 ? '1 certificate' : `${count} certificates`
}

export const certificateActions: readonly Action[] = [list, issue, renew, remove]
