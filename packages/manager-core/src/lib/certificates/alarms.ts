import type { ManagerContext } from '../context.js'
import { mailFailure } from '../mail/mail-failure.js'
import { noteAlarms, readAlarms } from './attempts.js'
import type { Surveyed } from './survey.js'

/** Failures in a row after which the operator is notified: one may be a disturbance. Not specified; chosen: about 45 minutes. */
const tellAfter = 3

/** What is wrong with a certificate, as a sentence; undefined: nothing that a person must know. */
export function alarmOf({ name, state, info, attempts, problem }: Surveyed): string | undefined {
  const failed =
    attempts && attempts.failures >= tellAfter ? ` ${attempts.failures} attempts failed: ${attempts.message}` : ''
  const day = info?.until.toISOString().slice(0, 10)
  switch (state) {
    case 'expired':
      return `The certificate ${name} has expired on ${day}: browsers refuse the page.${failed}`
    case 'soon':
      return `The certificate ${name} expires on ${day}.${failed}`
    case 'unreadable':
      return `The certificate ${name} cannot be used: ${problem}.`
    case 'missing':
      if (problem !== undefined) return `There is no certificate for ${name}, so browsers refuse it: ${problem}.`
      return failed === '' ? undefined : `There is no certificate for ${name}, so it has no HTTPS.${failed}`
    case 'good':
      if (problem !== undefined) return `There is no certificate for ${name}, so browsers refuse it: ${problem}.`
      return failed === '' ? undefined : `The certificate ${name} cannot be renewed; it expires on ${day}.${failed}`
    case 'unused':
      return undefined
  }
}

/**
 * Mails `APPS_EMAIL` what has gone wrong with certificates since the last mail; again only when it becomes worse or was
 * good meanwhile. The caller holds the lock `certificates`.
 *
 * @returns why the mail could not be sent
 */
export async function tellAlarms(context: ManagerContext, surveyed: readonly Surveyed[]): Promise<string | undefined> {
  const alarms = surveyed.flatMap((one) => {
    const text = alarmOf(one)
    return text === undefined ? [] : [{ name: one.name, level: levelOf(one), text }]
  })
  const told = readAlarms(context.home)
  const fresh = alarms.filter(({ name, level }) => told[name] !== level)
  const problem =
    fresh.length === 0
      ? undefined
      : await mailFailure(context, {
          subject: fresh.length === 1 ? `certificate ${fresh[0]!.name}` : `${fresh.length} certificates`,
          text: fresh.map(({ text }) => text).join('\n\n'),
        })
  const now = Object.fromEntries(alarms.map(({ name, level }) => [name, level]))
  const isSame = fresh.length === 0 && Object.keys(told).length === alarms.length
  if (problem === undefined && !isSame) await noteAlarms(context.home, now)
  return problem
}

function levelOf({ state, attempts }: Surveyed): string {
  return `${state}${attempts && attempts.failures >= tellAfter ? ' failing' : ''}`
}
