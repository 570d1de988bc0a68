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
    options: [{ name: 'fix', type: 'flag', summary: 'Put right what can be' }],
    ability: 'admin',
    mutating: false,
    surfaces: ['cli'],
    examples: ['doctor', 'doctor instances', 'doctor --fix'],
    view: { type: 'table', columns: ['level', 'category', 'message', 'help'], empty: 'Nothing was checked.' },
    async handler({ context, input }) {
      const category = input.category as DoctorCategory | undefined
      const list = await examine(context, { category, fix: input.fix === true })
      const count = (level: string) => list.filter((each) => each.level === level).length
      const errors = count('error')
      const fixable = list.filter((each) => each.fixable).length
      const advice = fixable > 0 ? ` doctor --fix puts ${fixable} of them right.` : ''
      const message =
        errors + count('warning') === 0 ? 'All is well.' : `${errors} errors, ${count('warning')} warnings.${advice}`
      return { message, list: list as unknown as readonly Json[], exitCode: errors === 0 ? 0 : 1 }
    },
  },
]
