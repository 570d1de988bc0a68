import type { ActionContext } from '../actions/action.js'
import type { ObjectDefinition } from '../definition/definition.js'
import type { FieldValue } from '../fields/field-value.js'
import { createModel } from '../model/create-model.js'
import type { ObjectModel } from '../model/model.js'
import type { GrantData } from '../rights/create-rights.js'
import type { ObjectStore, StoreSession } from '../store.js'
import type { Random } from './random.js'

const Region: ObjectDefinition = {
  name: 'Region',
  table: 'rgt_region',
  timestamps: false,
  fields: {
    reg_code: { type: 'string', length: 50, key: true },
    reg_secret: { type: 'string', length: 50 },
    reg_open: { type: 'boolean' },
    reg_rank: { type: 'integer' },
    reg_parent: { type: 'reference', object: 'Region', display: ['reg_code', 'reg_rank'] },
  },
  order: ['-reg_rank', 'reg_secret'],
}

const Tag: ObjectDefinition = {
  name: 'Tag',
  table: 'rgt_tag',
  timestamps: false,
  display: 'public',
  fields: {
    tag_code: { type: 'string', length: 50, key: true },
    tag_secret: { type: 'string', length: 50 },
    tag_note: { type: 'string', length: 50 },
    tag_region: { type: 'reference', object: 'Region', display: ['reg_code'] },
  },
}

const Emp: ObjectDefinition = {
  name: 'Emp',
  table: 'rgt_emp',
  timestamps: false,
  fields: {
    emp_code: { type: 'string', length: 50, key: true },
    emp_name: { type: 'string', length: 50 },
    emp_salary: { type: 'integer' },
    emp_boss: { type: 'boolean' },
    emp_owner: { type: 'string', length: 50 },
    emp_region: {
      type: 'reference',
      object: 'Region',
      display: ['reg_code', 'reg_secret', 'reg_open', 'reg_rank', 'reg_parent__reg_code'],
    },
  },
  order: ['emp_region__reg_rank', '-emp_salary'],
}

const shown =
  '{{tsk_code}} {{tsk_emp__emp_name}} {{tsk_emp__emp_region__reg_secret}} {{tsk_tag__tag_code}} {{tsk_tag__tag_note}} '

const Task: ObjectDefinition = {
  name: 'Task',
  table: 'rgt_task',
  timestamps: false,
  indexable: ['tsk_title'],
  fields: {
    tsk_code: { type: 'string', length: 50, key: true },
    tsk_title: { type: 'string', length: 50 },
    tsk_owner: { type: 'string', length: 50 },
    tsk_emp: {
      type: 'reference',
      object: 'Emp',
      display: [
        'emp_code',
        'emp_name',
        'emp_salary',
        'emp_boss',
        'emp_owner',
        'emp_region__reg_code',
        'emp_region__reg_secret',
        'emp_region__reg_rank',
        'emp_region__reg_parent__reg_rank',
      ],
    },
    tsk_tag: { type: 'reference', object: 'Tag', display: ['tag_code', 'tag_secret', 'tag_region__reg_code'] },
  },
  order: ['tsk_emp__emp_salary', '-tsk_emp__emp_region__reg_secret', 'tsk_tag__tag_code'],
  crosstabs: {
    salaries: {
      lines: ['tsk_emp__emp_name'],
      values: [{ function: 'sum', field: 'tsk_emp__emp_salary' }, { function: 'count' }],
    },
    regions: {
      lines: ['tsk_emp__emp_region__reg_code'],
      columns: ['tsk_tag__tag_region__reg_code'],
      values: [{ function: 'max', field: 'tsk_emp__emp_region__reg_rank' }],
    },
    parents: {
      lines: ['tsk_emp__emp_region__reg_parent__reg_parent__reg_secret'],
      columns: ['tsk_tag__tag_note'],
      values: [{ function: 'sum', field: 'tsk_tag__tag_region__reg_parent__reg_rank' }],
    },
    bosses: { lines: ['tsk_emp__emp_boss', 'tsk_tag__tag_secret'] },
  },
  publications: {
    csv: { scope: 'global', format: 'csv' },
    paths: {
      scope: 'global',
      format: 'csv',
      fields: ['tsk_code', 'tsk_tag__tag_note', 'tsk_emp__emp_region__reg_parent__reg_parent__reg_secret'],
    },
    json: { scope: 'both', format: 'json' },
    letter: { format: 'txt', template: shown, fileName: '{{tsk_emp__emp_code}}' },
    letters: { scope: 'global', format: 'txt', template: `{{#each records}}${shown}{{/each}}` },
  },
  actions: {
    show: { run: ({ record }: ActionContext) => record },
    list: {
      scope: 'global',
      async run({ records }: ActionContext) {
        const found: unknown[] = []
        for await (const batch of await records()) found.push(...batch)
        return found
      },
    },
  },
}

/** Chains of references to objects with values that must not come through them. */
export const model = createModel([Region, Tag, Emp, Task])

/** Row ids by object. */
export interface Rows {
  readonly ids: ReadonlyMap<ObjectModel, readonly string[]>
}

export async function insertRows(store: ObjectStore, random: Random): Promise<Rows> {
  const ids = new Map<ObjectModel, string[]>([...model.objects.values()].map((object) => [object, []]))
  const some = (name: string): string => (random.oneIn(8) ? '' : random.pick(ids.get(model.object(name)) ?? ['']))
  await store.transaction(async (session) => {
    for (let n = 0; n < 6; n++)
      await insert(session, 'Region', {
        reg_code: `region ${n}`,
        reg_secret: `secret ${n}`,
        reg_open: random.oneIn(2),
        reg_rank: random.below(5),
        reg_parent: n === 0 ? '' : some('Region'),
      })
    for (let n = 0; n < 5; n++)
      await insert(session, 'Tag', {
        tag_code: `tag ${n}`,
        tag_secret: `tag secret ${n}`,
        tag_note: `note ${n}`,
        tag_region: some('Region'),
      })
    for (let n = 0; n < 10; n++)
      await insert(session, 'Emp', {
        emp_code: `emp ${n}`,
        emp_name: `name ${n}`,
        emp_salary: random.below(6),
        emp_boss: random.oneIn(3),
        emp_owner: random.pick(['bob', 'eve']),
        emp_region: some('Region'),
      })
    for (let n = 0; n < 24; n++)
      await insert(session, 'Task', {
        tsk_code: `task ${n}`,
        tsk_title: `some title ${n % 3}`,
        tsk_owner: random.pick(['bob', 'eve']),
        tsk_emp: some('Emp'),
        tsk_tag: some('Tag'),
        idx_words: `some title ${n % 3}`,
      })
  })
  return { ids }

  async function insert(session: StoreSession, name: string, values: { [field: string]: FieldValue }): Promise<void> {
    const object = model.object(name)
    const { row_id: id } = await session.insert(object, values, object.select([]))
    ids.get(object)?.push(id)
  }
}

const rowFilters: Readonly<Record<string, readonly string[]>> = {
  Region: ['reg_open = true', 'reg_rank > 2', 'reg_parent__reg_rank < 3', 'reg_parent__reg_parent__reg_open = true'],
  Tag: ["tag_code like '%1'"],
  Emp: ['emp_owner = [LOGIN]', 'emp_region__reg_open = true', 'emp_boss = false or emp_owner = [LOGIN]'],
  Task: ['tsk_owner = [LOGIN]', 'tsk_emp__emp_owner <> [LOGIN]'],
}

const hideable: Readonly<Record<string, readonly string[]>> = {
  Region: ['reg_code', 'reg_secret', 'reg_rank', 'reg_parent'],
  Tag: ['tag_code', 'tag_secret', 'tag_region'],
  Emp: ['emp_name', 'emp_salary', 'emp_region', 'emp_region__reg_code'],
  Task: ['tsk_emp', 'tsk_emp__emp_name', 'tsk_tag', 'tsk_tag__tag_note', 'tsk_emp__emp_region__reg_parent__reg_code'],
}

/** Rights of a user who may read tasks, and this or that of what they refer to. */
export function generateGrants(random: Random): GrantData[] {
  return [...model.objects.keys()].flatMap((object): GrantData[] => {
    const grant = (letters: string, filtered: boolean): GrantData => ({
      object,
      letters,
      filter: filtered ? random.pick(rowFilters[object] ?? []) : undefined,
      hidden: random.oneIn(2) ? [random.pick(hideable[object] ?? [])] : [],
    })
    if (object === 'Task') return [grant('CRUA', random.oneIn(2)), ...(random.oneIn(2) ? [grant('U', false)] : [])]
    return [
      ...(random.oneIn(4) ? [] : [grant('R', !random.oneIn(3))]),
      ...(random.oneIn(4) ? [grant('R', true)] : []),
      ...(random.oneIn(4) ? [grant(random.pick(['A', 'U', 'C']), false)] : []),
    ]
  })
}
