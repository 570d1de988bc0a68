import type { Action, ActionResult } from '../action.js'
import { doctorCategories } from '../doctor/check.js'
import { examine } from '../doctor/doctor.js'
import type { Json } from '../domain/json.js'
import { countText } from '../domain/readable.js'
import { leftFolders } from '../instances/left-step.js'
import { rebuildRegistry, type RebuildReport } from '../rebuild/rebuild-registry.js'
import { defineAction } from './define-action.js'

/** As the table of what was found. */
function rebuilt({ message, warnings, instances }: RebuildReport): ActionResult {
  const list = instances.map(({ id, name, result, message: text }) => ({
    check: 'registry',
    category: 'instances',
    level: levelOf[result],
    id,
    name,
    result,
    message: `"${name}" ${texts[result]}.${text && ` ${text}`}`,
    help: '',
  }))
  return { message, warnings, list, exitCode: list.some(({ level }) => level === 'error') ? 1 : 0 }
}

const levelOf = { kept: 'ok', changed: 'warning', added: 'warning', removed: 'warning', unclear: 'error' } as const

const texts = {
  kept: 'is as it was',
  changed: 'is not as the copy says',
  added: 'was not in the registry, and is now',
  removed: 'is not in the registry any more',
  unclear: 'has to be looked at',
} as const

export const doctorActions: readonly Action[] = [
  defineAction({
    name: 'doctor',
    group: 'Manager',
    summary: 'Check the manager, its settings and its instances for faults',
    description:
      'Ends with 1 when there are errors. --fix puts right what can be put right without a person.\n\n' +
      '--rebuild brings the registry back when it is lost or damaged: its newest copy that is whole, in step with what ' +
      'the instances, the trash, the backups and running processes say, and tells what became of each instance. What is ' +
      'deleted stays deleted, what is there and was not known is taken in, and the damaged file is kept aside.',
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
      {
        name: 'network',
        type: 'flag',
        summary: 'Also look whether backup targets and buckets of documents can be reached',
      },
      { name: 'rebuild', type: 'flag', summary: 'Rebuild the registry from its copies and from what is on the disk' },
    ],
    withoutRegistry: ({ rebuild }) => rebuild === true,
    ability: 'admin',
    mutating: false,
    surfaces: ['cli'],
    examples: ['doctor', 'doctor instances', 'doctor --fix', 'doctor --rebuild', 'doctor backups --network'],
    view: { type: 'table', columns: ['level', 'category', 'message'], below: 'help', empty: 'Nothing was checked.' },
    async handler({ context, input, caller }) {
      if (input.rebuild) return rebuilt(await rebuildRegistry(context, caller))
      const category = input.category
      const list = await examine(context, {
        category,
        fix: input.fix,
        network: input.network,
      })
      const count = (level: string) => list.filter((each) => each.level === level).length
      const errors = count('error')
      const fixable = list.filter((each) => each.fixable).length
      const advice = fixable > 0 ? ` doctor --fix puts ${fixable} of them right.` : ''
      const message =
        errors + count('warning') === 0
          ? 'All is well.'
          : `${countText(errors, 'error')}, ${countText(count('warning'), 'warning')}.${advice}`
      return { message, list: list as unknown as readonly Json[], exitCode: errors === 0 ? 0 : 1 }
    },
  }),
  defineAction({
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
      const id = input.operation
      if (caller.dryRun) return { message: `Would give up operation ${id}.` }
      const { title } = await context.operations.giveUp(id, caller)
      const folders = leftFolders(context.home, id)
      const where = folders.length > 0 ? ` Its work is in ${folders.join(' and ')}: nothing removes it by itself.` : ''
      return { message: `Given up: ${title}. What it left is as it was.${where}`, operation: id }
    },
  }),
]
