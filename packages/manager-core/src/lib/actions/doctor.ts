import type { Json } from '../domain/json.js'
import type { DoctorCategory } from '../doctor/check.js'
import { doctorCategories } from '../doctor/check.js'
import { examine } from '../doctor/doctor.js'
import type { Action } from './action.js'

export const doctorActions: readonly Action[] = [
  {
    name: 'doctor',
    group: 'Manager',
    summary: 'Look for faults of the manager, its settings and its instances',
    description: 'Ends with 1 when there are errors. --fix puts right what can be put right without a person.',
    parameters: [
      {
        name: 'category',
        type: 'choice',
        choices: doctorCategories,
        summary: 'Only what this is about (default: all)',
      },
    ],
    options: [
      { name: 'fix', type: 'flag', summary: 'Put right what can be' },
      { name: 'network', type: 'flag', summary: 'Also look whether backup targets can be reached' },
    ],
    ability: 'admin',
    mutating: false,
    surfaces: ['cli'],
    examples: ['doctor', 'doctor instances', 'doctor --fix', 'doctor backups --network'],
    view: { type: 'table', columns: ['level', 'category', 'message', 'help'], empty: 'Nothing was checked.' },
    async handler({ context, input }) {
      const category = input.category as DoctorCategory | undefined
      const list = await examine(context, {
        category,
        fix: input.fix === true,
        network: input.network === true,
      })
      const count = (level: string) => list.filter((each) => each.level === level).length
      const errors = count('error')
      const fixable = list.filter((each) => each.fixable).length
      const advice = fixable > 0 ? ` doctor --fix puts ${fixable} of them right.` : ''
      const message =
        errors + count('warning') === 0 ? 'All is well.' : `${errors} errors, ${count('warning')} warnings.${advice}`
      return { message, list: list as unknown as readonly Json[], exitCode: errors === 0 ? 0 : 1 }
    },
  },
  {
    name: 'giveup',
    group: 'Manager',
    summary: 'Give up an operation that needs attention, and leave things as they are',
    description:
      'The last resort, when doctor --fix cannot bring it to an end: look at what it left half-done, put it right by hand ' +
      'or delete the instance afterwards. doctor operations shows the id.',
    parameters: [{ name: 'operation', type: 'text', required: true, summary: 'Id of the operation' }],
    ability: 'admin',
    mutating: true,
    destructive: 'What the operation left half-done will neither be finished nor undone.',
    surfaces: ['cli'],
    examples: ['giveup 0c8a5a3e-6a0b-4a53-8d39-0f0a9f1c7e11 --yes'],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      const id = input.operation as string
      if (caller.dryRun) return { message: `Would give up operation ${id}.` }
      const { title } = await context.operations.giveUp(id, caller)
      return { message: `Given up: ${title}. What it left is as it was.`, operation: id }
    },
  },
]
