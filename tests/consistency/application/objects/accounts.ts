import type { ActionContext } from '@steward/rest-core'
import { defineObject } from '@steward/rest-core'

/** Changes are written down twice, so that the two can be compared with each other and with the records. */
const recorded = { audit: true, events: true } as const

const parameters = {
  code: { type: 'string', required: true },
  from: { type: 'string', required: true },
  to: { type: 'string', required: true },
  amount: { type: 'integer', required: true },
} as const

export const Account = defineObject({
  name: 'Account',
  ...recorded,
  fields: { acc_code: { type: 'string', length: 40, key: true }, acc_balance: { type: 'integer', default: 1000 } },
  actions: {
    /** Locks first, in one order. */
    transfer: {
      scope: 'global',
      repeatable: true,
      parameters,
      async run(context) {
        const { service, principal } = context
        const { from, to, amount } = read(context)
        const balances = new Map<string, number>()
        for (const id of [from, to].toSorted()) {
          const { acc_balance: balance } = await service.get(principal, 'Account', id, { lock: true })
          balances.set(id, balance as number)
        }
        await record(context)
        await service.update(principal, 'Account', from, { acc_balance: (balances.get(from) ?? 0) - amount })
        await service.update(principal, 'Account', to, { acc_balance: (balances.get(to) ?? 0) + amount })
      },
    },
    /** Refers to both first and locks each when it comes to it: two of them, crosswise, wait for each other. */
    cross: {
      scope: 'global',
      repeatable: true,
      parameters,
      async run(context) {
        const { service, principal } = context
        const { from, to, amount } = read(context)
        await record(context)
        const changes = [
          [from, -amount],
          [to, amount],
        ] as const
        for (const [id, change] of changes) {
          const { acc_balance: balance } = await service.get(principal, 'Account', id, { lock: true })
          await service.update(principal, 'Account', id, { acc_balance: (balance as number) + change })
        }
      },
    },
  },
})

function read({ parameters: given }: ActionContext) {
  return { from: String(given['from']), to: String(given['to']), amount: Number(given['amount']) }
}

async function record(context: ActionContext): Promise<void> {
  const { service, principal, parameters: given } = context
  const { from, to, amount } = read(context)
  const values = { trf_code: given['code'], trf_from: from, trf_to: to, trf_amount: amount }
  await service.create(principal, 'Transfer', values)
}

export const Transfer = defineObject({
  name: 'Transfer',
  ...recorded,
  fields: {
    trf_code: { type: 'string', length: 40, key: true },
    trf_from: { type: 'reference', object: 'Account', required: true, display: ['acc_code'] },
    trf_to: { type: 'reference', object: 'Account', required: true },
    trf_amount: { type: 'integer', required: true },
  },
})

export const Ticket = defineObject({
  name: 'Ticket',
  ...recorded,
  fields: {
    tic_code: { type: 'string', length: 40, key: true },
    tic_state: { type: 'enum', values: ['open', 'a', 'b', 'c'] },
    tic_count: { type: 'integer', default: 0 },
    tic_note: { type: 'string', length: 40 },
  },
  states: { field: 'tic_state', transitions: ['a', 'b', 'c'].map((to) => ({ from: 'open', to })) },
})

export const Parent = defineObject({
  name: 'Parent',
  ...recorded,
  fields: { par_code: { type: 'string', length: 40, key: true } },
})

export const Kid = defineObject({
  name: 'Kid',
  ...recorded,
  fields: {
    kid_code: { type: 'string', length: 40, key: true },
    kid_parent: { type: 'reference', object: 'Parent', required: true, onDelete: 'cascade' },
  },
})

/** Not recorded: its writes would be single statements, but for the document. */
export const Paper = defineObject({
  name: 'Paper',
  fields: { pap_code: { type: 'string', length: 40, key: true }, pap_file: { type: 'document' } },
})
