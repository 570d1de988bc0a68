import type { Action, ActionResult } from '../action.js'
import { doctorCategories } from '../doctor/check.js'
import { examine } from '../doctor/doctor.js'
import type { Json } from '../domain/json.js'
import { countText } from '../domain/readable.js'
import { adoptHome, type Adoption } from '../instances/home-place.js'
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

function adopted({ isKnown, path, accounts, databases, failures }: Adoption): ActionResult {
  const text = isKnown
    ? `${path} was neither copied nor moved.${databases === 0 ? ' Nothing was changed.' : ''}`
    : `${path} is the home now: commands can change its instances again.`
  const help = 'Check the schedule (manager schedule), the reverse proxy and units: they may name the former folder.'
  const marked = accounts === 0 ? '' : ` ${countText(accounts, 'system account')} marked.`
  const also = databases === 0 ? '' : ` ${countText(databases, 'database')} marked.`
  return { message: `${text}${marked}${also}`, warnings: [...(isKnown ? [] : [help]), ...failures] }
}

const levelOf = { kept: 'ok', changed: 'warning', added: 'warning', removed: 'warning', unclear: 'error' } as const

const texts = {
  kept: 'is unchanged',
  changed: 'differs from the copy',
  added: 'was added to the registry',
  removed: 'is no longer in the registry',
  unclear: 'needs your attention',
} as const

/** The order of the report: first what needs attention. */
const urgency = ['error', 'warning', 'fixed', 'ok'] as const

export const doctorActions: readonly Action[] = [
  defineAction({
    name: 'doctor',
    group: 'Manager',
    summary: 'Check the manager, its settings and its instances for problems',
    description:
      'The exit code is 1 if there are errors. --fix repairs what can be repaired automatically.\n\n--rebuild ' +
      'recovers a lost or damaged registry: it takes the latest intact copy, updates it from the instances, the ' +
      'trash, the backups and running processes, and reports the result for each instance. Deleted instances stay ' +
      'deleted, unknown ones are added, and the damaged file is kept aside.\n\n--adopt is for a home that was moved, or ' +
      'copied to replace the original. Until then, such a home can be looked at but changes nothing, because its ' +
      'databases, accounts and processes may belong to the original. It is refused while the original is still there. ' +
      'In any home, it also marks databases as its own that have no mark, or that of a home that is not on this machine.',
    parameters: [
      {
        name: 'category',
        type: 'choice',
        choices: doctorCategories,
        summary: 'Check only this area (default: all)',
      },
    ],
    options: [
      { name: 'fix', type: 'flag', summary: 'Repair what can be repaired automatically', surfaces: ['cli'] },
      { name: 'network', type: 'flag', summary: 'Also check that backup targets and document buckets can be reached' },
      {
        name: 'rebuild',
        type: 'flag',
        summary: 'Rebuild the registry from its copies and the files on disk',
        surfaces: ['cli'],
      },
      {
        name: 'adopt',
        type: 'flag',
        summary: 'Make a home that was copied or moved the one that owns its databases, accounts and processes',
        surfaces: ['cli'],
      },
    ],
    withoutRegistry: ({ rebuild }) => rebuild === true,
    changesOutside: ({ fix }) => fix === true,
    ability: 'admin',
    mutating: false,
    showsSettings: true,
    examples: [
      'doctor',
      'doctor instances',
      'doctor --fix',
      'doctor --rebuild',
      'doctor --adopt',
      'doctor backups --network',
    ],
    view: {
      type: 'table',
      columns: ['level', 'category', 'message'],
      below: 'help',
      wraps: 'message',
      empty: 'Nothing was checked.',
    },
    async handler({ context, input, caller }) {
      if (input.rebuild) return rebuilt(await rebuildRegistry(context, caller))
      if (input.adopt) return adopted(await adoptHome(context))
      const category = input.category
      const found = await examine(context, {
        category,
        fix: input.fix,
        network: input.network,
      })
      const list = found.toSorted((one, other) => urgency.indexOf(one.level) - urgency.indexOf(other.level))
      const count = (level: string) => list.filter((each) => each.level === level).length
      const errors = count('error')
      const fixable = list.filter((each) => each.fixable).length
      const advice = fixable > 0 ? ` To repair ${fixable} of them, run: manager doctor --fix` : ''
      const fixed = count('fixed') > 0 ? `${countText(count('fixed'), 'problem')} repaired. ` : ''
      const message =
        errors + count('warning') === 0
          ? `${fixed}All is well.`
          : `${fixed}${countText(errors, 'error')}, ${countText(count('warning'), 'warning')}.${advice}`
      return { message, list: list as unknown as readonly Json[], exitCode: errors === 0 ? 0 : 1 }
    },
  }),
  defineAction({
    name: 'giveup',
    group: 'Manager',
    summary: 'Give up an operation that needs attention, and leave its work as it is',
    description:
      'The last resort if doctor --fix cannot finish the operation. Afterwards, check what it left half-done, and ' +
      'repair it manually or delete the instance. doctor operations shows the id.',
    parameters: [{ name: 'operation', type: 'text', required: true, summary: 'ID of the operation' }],
    ability: 'admin',
    mutating: true,
    destructive: 'What the operation left half-done will be neither finished nor rolled back.',
    examples: ['giveup 0c8a5a3e-6a0b-4a53-8d39-0f0a9f1c7e11 --yes'],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      const id = input.operation
      const { title } = await context.operations.giveUp(id, caller)
      if (caller.dryRun) return { message: `Would give up: ${title}.` }
      const folders = leftFolders(context.home, id)
      const where = folders.length > 0 ? ` Its files in ${folders.join(' and ')} are not removed automatically.` : ''
      return { message: `Given up: ${title}. What it left is unchanged.${where}`, operation: id }
    },
  }),
]
