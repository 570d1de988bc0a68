import { ManagerError } from '../../errors.js'
import { accountAt, type SystemAccount } from '../accounts/account.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { findAccount } from '../accounts/find-account.js'
import { giveHome, takeHome } from '../accounts/give.js'
import { whyNotIsolated } from '../accounts/why-not.js'
import type { ManagerContext, OperationKind, Plan, Step } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import { accountStep, removeAccountStep } from './account-step.js'
import { defineStep, undefineStep } from './define-step.js'
import { existing } from './existing.js'
import { changeOwner, ownStep } from './own-step.js'
import { startStep, stopStep } from './runtime-steps.js'

export type IsolateRequest = { readonly id: string; readonly name: string }

type IsolateFacts = { readonly name: string; readonly folder: string; readonly account: AccountFacts | null }

/** A `SystemAccount` as facts have it. */
type AccountFacts = { readonly [Key in keyof SystemAccount]: SystemAccount[Key] }

/** Gives an instance that runs as the manager's user, or whose account is gone, a system account of its own. */
export const isolateKind: OperationKind<IsolateRequest, IsolateFacts> = {
  kind: 'isolate',
  locks: ({ id }) => [`instance:${id}`],
  async inspect(request, context) {
    const facts = factsOf(request, context)
    const obstacle = whyNotIsolated(context)
    if (obstacle) throw new ManagerError('ERR_STATE', obstacle.reason, { help: obstacle.help })
    if (facts.account && findAccount(facts.account.name)?.uid === facts.account.uid)
      throw new ManagerError('ERR_STATE', `"${facts.name}" already runs as the system account "${facts.account.name}".`)
    return facts
  },
  plan: (request, facts) =>
    planChange(request, facts, {
      title: `Run instance "${facts.name}" as its own system account`,
      before: [accountStep()],
      change: ownStep(facts.folder),
      after: [],
    }),
}

/** Lets it run as the manager's user again. */
export const unisolateKind: OperationKind<IsolateRequest, IsolateFacts> = {
  kind: 'unisolate',
  locks: ({ id }) => [`instance:${id}`],
  async inspect(request, context) {
    const facts = factsOf(request, context)
    if (!facts.account) throw new ManagerError('ERR_STATE', `"${facts.name}" has no system account.`)
    if (context.settings.global.isolation === 'yes')
      throw new ManagerError('ERR_STATE', `"${facts.name}" must keep its system account: APPS_ISOLATION=yes.`, {
        command: 'config',
      })
    return facts
  },
  plan: (request, facts) =>
    planChange(request, facts, {
      title: `Run instance "${facts.name}" as the user of the manager`,
      before: [],
      change: disownStep(facts),
      after: [{ ...removeAccountStep(() => facts.account?.name ?? ''), pointOfNoReturn: true }],
    }),
}

function factsOf(request: IsolateRequest, context: ManagerContext): IsolateFacts {
  const { id, name } = existing(context.registry, request)
  const { folder } = context.home.instance(id)
  const account = accountAt(folder)
  return { name, folder, account: account ? { ...account } : null }
}

interface Change {
  readonly title: string
  readonly before: readonly Step[]
  readonly change: Step
  readonly after: readonly Step[]
}

function planChange({ id }: IsolateRequest, { name, folder }: IsolateFacts, change: Change): Plan {
  const instance = { id, name }
  return {
    title: change.title,
    instance,
    steps: [
      ...change.before,
      stopStep({ instance, folder }),
      undefineStep({ row: { id }, folder }),
      change.change,
      defineStep({ row: { id }, folder }),
      startStep({ instance, folder, stopStepId: 'stop' }),
      ...change.after,
    ],
    notes: ['Short downtime: all its files change their owner.'],
  }
}

const ownUid = () => process.getuid?.() ?? 0

function disownStep({ folder, account }: IsolateFacts): Step {
  const home = instanceHomeAt(folder)
  const { uid } = account as AccountFacts
  return {
    id: 'disown',
    title: "Change the owner of its files to the manager's user",
    do: () =>
      changeOwner(folder, async () => {
        await endAllOf(account ?? undefined)
        await takeHome(home, uid)
      }),
    undo: () => changeOwner(folder, () => giveHome(home, account as AccountFacts, ownUid())),
    check: () => 'not-done',
  }
}
