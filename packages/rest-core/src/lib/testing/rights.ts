import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { RestError } from '../../errors.js'
import { crosstabTable } from '../crosstabs/crosstab-forms.js'
import { webhookBody } from '../events/webhook-message.js'
import type { FieldValue } from '../fields/field-value.js'
import type { BusinessRecord, FieldModel, ObjectModel, ReadableField, ReferenceModel } from '../model/model.js'
import { baseField, isJoined } from '../model/model.js'
import type { PublishedDocument } from '../publications/publication.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { createRights, type GrantData } from '../rights/create-rights.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects, SearchRequest } from '../service/business-objects.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { randomPath } from './random-path.js'
import { createRandom, type Random } from './random.js'
import { everything, readAll } from './reading.js'
import { generateGrants, insertRows, model, type Rows } from './rights-model.js'
import { useStore, type StoreFactory } from './store-under-test.js'
import { valueBehind } from './value-behind.js'

const users = 16
const requestsPerUser = 24
const everybody = systemPrincipal({ login: 'everybody' })
const missingId = '987654321'

type Request = (principal: Principal) => Promise<unknown>

interface Hidden {
  readonly object: ObjectModel
  readonly id: string
  readonly field: FieldModel
}

export function testRights(factory: StoreFactory, seed: number): void {
  describe('rights through references', () => {
    const used = useStore(factory, model)
    let service: BusinessObjects
    let rows: Rows
    let stored: ReadonlyMap<ObjectModel, readonly BusinessRecord[]>
    beforeAll(async () => {
      service = createBusinessObjects({ model, store: used.store, clock: () => new Date(0) })
      rows = await insertRows(used.store, createRandom(seed))
      const all = [...model.objects.values()].map(async (object) => {
        const batches = used.store.search(object, { select: everything(object), order: byId })
        return [object, await readAll(batches)] as const
      })
      stored = new Map(await Promise.all(all))
    }, 60_000)

    test('no answer depends on a value that the user cannot get from the record itself', async () => {
      const random = createRandom(seed)
      let hiddenValues = 0
      let answers = 0
      let differences = 0
      for (let at = 0; at < users; at++) {
        const grants = generateGrants(random)
        const bob = userOf(grants)
        const requests = Array.from({ length: requestsPerUser }, () => generateRequest(random, grants))
        const before = await runAll(requests, bob)
        const beforeForAll = await runAll(requests, everybody)
        const hidden = await hiddenFrom(bob, grants)
        hiddenValues += hidden.length
        await change(hidden, random)
        const after = await runAll(requests, bob)
        const afterForAll = await runAll(requests, everybody)
        await restore(hidden)
        for (const [number, answer] of after.entries())
          expect(answer, JSON.stringify({ seed, user: at, request: number, grants })).toBe(before[number])
        answers += before.filter((answer) => !answer.startsWith('refused')).length
        differences += afterForAll.filter((answer, number) => answer !== beforeForAll[number]).length
      }
      // With nothing hidden, nothing answered, or requests that no value matters for, the above would show little.
      expect(hiddenValues).toBeGreaterThan(users * 20)
      expect(answers).toBeGreaterThan((users * requestsPerUser) / 4)
      expect(differences).toBeGreaterThan((users * requestsPerUser) / 4)
    })

    test('a reference to a record that the user may not read is refused like one to a record that is not there', async () => {
      const random = createRandom(seed)
      let refused = 0
      for (let at = 0; at < users; at++) {
        const grants = generateGrants(random)
        const bob = userOf(grants)
        const id = random.pick(rows.ids.get(emp) ?? [])
        if (!(await outcome(() => service.get(bob, 'Emp', id))).startsWith('refused')) continue
        const own = (stored.get(task) ?? []).find((record) => record['tsk_emp'] !== id) as BusinessRecord
        for (const write of [
          (to: string) => service.dryRun((inside) => inside.create(bob, 'Task', { tsk_code: 'new', tsk_emp: to })),
          (to: string) => service.dryRun((inside) => inside.update(bob, 'Task', own.row_id, { tsk_emp: to })),
          (to: string) =>
            service.dryRun((inside) => inside.upsert(bob, 'Task', { tsk_code: 'new', tsk_title: 'x', tsk_emp: to })),
          (to: string) =>
            service.batch(bob, 'Task', [{ action: 'create', values: { tsk_code: 'new', tsk_emp: to } }], {
              atomic: false,
              dryRun: true,
            }),
        ]) {
          const missing = await outcome(() => write(missingId))
          expect(await outcome(() => write(id)), JSON.stringify({ seed, user: at, grants })).toBe(
            missing.replaceAll(missingId, id),
          )
          if (missing.includes('does not exist')) refused += 1
        }
      }
      expect(refused).toBeGreaterThan(users / 4)
    })

    function userOf(grants: readonly GrantData[]): Principal {
      return createPrincipal({ login: 'bob', rights: createRights(model, grants, { LOGIN: 'bob' }) })
    }

    /** Values that the user does not get with their own record, and that rights do not depend on. */
    async function hiddenFrom(bob: Principal, grants: readonly GrantData[]): Promise<Hidden[]> {
      const hidden: Hidden[] = []
      const kept = fieldsInFilters(grants)
      for (const [object, ids] of rows.ids) {
        for (const id of ids) {
          const record = await service.get(bob, object.name, id).catch((error: unknown) => {
            if (RestError.is(error)) return undefined
            throw error
          })
          for (const field of object.fields) {
            const isPublic =
              object.name === 'Tag' && displayed.has(field.name) && !bob.rights.object('Tag')?.hidden.has(field.name)
            if (record?.[field.name] !== undefined || isPublic || kept.has(field)) continue
            hidden.push({ object, id, field })
          }
        }
      }
      return hidden
    }

    async function change(hidden: readonly Hidden[], random: Random): Promise<void> {
      await write(hidden, ({ object, id, field }) => otherValue(random, object, id, field))
    }

    async function restore(hidden: readonly Hidden[]): Promise<void> {
      await write(hidden, ({ object, id, field }) => valueOf(object, id, field))
    }

    async function write(hidden: readonly Hidden[], valueFor: (hidden: Hidden) => FieldValue): Promise<void> {
      const changes = new Map<string, { object: ObjectModel; id: string; values: Record<string, FieldValue> }>()
      for (const each of hidden) {
        const { object, id, field } = each
        const key = `${object.name} ${id}`
        const known = changes.get(key) ?? { object, id, values: {} }
        known.values[field.name] = valueFor(each)
        changes.set(key, known)
      }
      await used.store.transaction(async (session) => {
        for (const { object, id, values } of changes.values())
          await session.update(object, id, values, { select: object.select([]) })
      })
    }

    function otherValue(random: Random, object: ObjectModel, id: string, field: FieldModel): FieldValue {
      const value = valueOf(object, id, field)
      switch (field.type.name) {
        case 'boolean':
          return !value
        case 'integer':
          return ((value as number) + 1 + random.below(9)) % 10
        case 'reference':
          return random.pick(rows.ids.get((field as ReferenceModel).target) ?? [''])
        default:
          return `${String(random.below(1000))} other ${object.name} ${id} ${field.name}`.slice(0, 50)
      }
    }

    function valueOf(object: ObjectModel, id: string, { name }: FieldModel): FieldValue {
      return stored.get(object)?.find(({ row_id: each }) => each === id)?.[name] ?? ''
    }

    async function runAll(requests: readonly Request[], principal: Principal): Promise<string[]> {
      const answers: string[] = []
      for (const request of requests) answers.push(await outcome(() => request(principal)))
      return answers
    }

    function generateRequest(random: Random, grants: readonly GrantData[]): Request {
      const object = random.pick([task, task, task, emp, region])
      const { name } = object
      const search = generateSearch(random, object)
      const { filters, expression } = generateSearch(random, task)
      const tasks = { filters, expression }
      const words = { ...tasks, text: 'title' }
      const id = random.pick(rows.ids.get(object) ?? [])
      const taskId = random.pick(rows.ids.get(task) ?? [])
      const link = random.pick(rows.ids.get(emp) ?? [])
      const values = { tsk_code: `new ${random.below(1000)}`, tsk_emp: link }
      const answer = { fields: search.fields }
      // Who may link a record to one by which it may be read then reads it.
      const relinked = fieldsInFilters(grants).has(taskEmp) ? { tsk_title: 'x' } : { tsk_emp: link }
      const crosstab = random.pick([...task.crosstabs.keys()])
      const many = random.pick(['csv', 'paths', 'json', 'letters'])
      const one = random.pick(['json', 'letter'])
      const event = { number: 1, object: name, rowId: id, action: 'create', time: '', login: 'bob' } as const
      return random.pick<Request>([
        async (bob) => readAll(await service.search(bob, name, search)),
        async (bob) => readAll(await service.search(bob, name)),
        async (bob) => pages(bob, name, { ...search, page: undefined, pageSize: 3 }),
        async (bob) => service.count(bob, name, search),
        async (bob) => service.get(bob, name, id, answer),
        async (bob) => service.indexSearch(bob, 'Task', words),
        async (bob) => service.countIndex(bob, 'Task', words),
        async (bob) => crosstabTable(await service.crosstab(bob, 'Task', crosstab, tasks)),
        async (bob) => published(await service.publish(bob, 'Task', many, { search: tasks })),
        async (bob) => published(await service.publish(bob, 'Task', one, { rowId: taskId })),
        async (bob) => service.action(bob, 'Task', 'show', { rowId: taskId }),
        async (bob) => service.action(bob, 'Task', 'list', { search: tasks }),
        async (bob) => webhookBody(service, bob, event, true),
        async (bob) => service.dryRun(async (inside) => withoutId(await inside.create(bob, 'Task', values, answer))),
        async (bob) => service.dryRun((inside) => inside.update(bob, 'Task', taskId, { tsk_title: 'x' }, answer)),
        async (bob) => service.dryRun((inside) => inside.update(bob, 'Task', taskId, relinked)),
        async (bob) =>
          service.dryRun(async (inside) => {
            const [item] = await inside.batch(bob, 'Task', [{ action: 'create', values }])
            return item && 'record' in item ? withoutId(item.record) : item
          }),
      ])
    }

    function generateSearch(random: Random, object: ObjectModel): SearchRequest {
      const fields = [...object.readable.values()]
      const joined = fields.filter(isJoined)
      const field = (): ReadableField =>
        (random.oneIn(2) ? randomPath(random, object) : undefined) ?? random.pick(random.oneIn(3) ? fields : joined)
      const filters = random.oneIn(4) ? [] : Array.from({ length: 1 + random.below(2) }, field)
      const condition = (): string => {
        const each = field()
        const text = generateText(random, object, each)
        return `${each.name} ${/^(?:is|[=<>])/.test(text) ? text : `= '${text}'`}`
      }
      return {
        filters: Object.fromEntries(filters.map((each) => [each.name, generateText(random, object, each)])),
        expression: random.oneIn(3) ? `(${condition()} or not ${condition()}) and ${condition()}` : undefined,
        order: random.oneIn(2) ? [] : [{ field: field().name, descending: random.oneIn(2) }],
        fields: random.oneIn(2) ? [field().name, field().name] : undefined,
        page: random.oneIn(2) ? 0 : undefined,
        pageSize: 5,
      }
    }

    function generateText(random: Random, object: ObjectModel, field: ReadableField): string {
      const { type } = field
      const value = String(valueBehind(stored, random.pick(stored.get(object) ?? []), field))
      if (type.name === 'boolean') return random.pick(['true', '<> true'])
      if (value === '' || random.oneIn(6)) return random.pick(['is null', 'is not null'])
      return random.pick(type.ordered ? [`= '${value}'`, `>= '${value}'`, `< '${value}'`, `<> '${value}'`] : [value])
    }

    async function pages(bob: Principal, name: string, request: SearchRequest): Promise<unknown[]> {
      const found: unknown[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const page: BusinessRecord[] = await readAll(await service.search(bob, name, { ...request, cursor }))
        const last = page.at(-1)
        cursor = last && service.nextCursor(bob, name, { ...request, cursor }, last)
        found.push(page, cursor)
        expect(found.length, 'pages that do not end').toBeLessThan(100)
      }
      return found
    }
  })
}

const byId = [{ field: 'row_id', descending: false }]
const task = model.object('Task')
const emp = model.object('Emp')
const region = model.object('Region')
const taskEmp = task.field('tsk_emp') as FieldModel

/** Fields of the public object that references show. */
const displayed: ReadonlySet<string> = new Set(['tag_code', 'tag_secret', 'tag_region'])

/** Fields whose values decide which rows the grants cover. */
function fieldsInFilters(grants: readonly GrantData[]): ReadonlySet<FieldModel> {
  const names = grants.flatMap(({ object, filter = '' }) => {
    const own = model.object(object)
    return [...filter.matchAll(/\w+/g)].flatMap(([name]) => own.field(name) ?? [])
  })
  return new Set(names.flatMap((field) => [...field.path, baseField(field)]))
}

async function published({ name, content }: PublishedDocument): Promise<string[]> {
  return [name, content instanceof Uint8Array ? Buffer.from(content).toString() : await text(content)]
}

/** Without the row id, which is another one each time. */
function withoutId(record: { readonly row_id: string }): unknown {
  return { ...record, row_id: '' }
}

/** An answer, or why there is none, as text. @throws any error that is not an answer to a client */
async function outcome(request: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await request()) ?? 'nothing'
  } catch (error) {
    if (!RestError.is(error) || error.status === 500) throw error
    return `refused: ${JSON.stringify([error.code, error.message, error.messages])}`
  }
}
