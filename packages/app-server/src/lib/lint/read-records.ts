import type { FieldModel, Model, ObjectModel, ObjectStore } from '@steward/rest-core'
import type { LintModelOptions } from '@steward/rest-core/lint'

/** How many records there are, and which fields are empty in all of them. */
export async function readRecords(
  model: Model,
  store: ObjectStore,
): Promise<Pick<LintModelOptions, 'rows' | 'isFilled'>> {
  const rows = new Map<ObjectModel, number>()
  const filled = new Map<FieldModel, boolean>()
  for (const object of model.objects.values()) {
    const count = await store.count(object)
    rows.set(object, count)
    if (count === 0) continue
    for (const field of object.fields) {
      // A boolean is never empty; passwords are not looked at.
      if (field.parts || ['boolean', 'password'].includes(field.type.name)) continue
      filled.set(field, await hasValue(field))
    }
  }
  return { rows: (object) => rows.get(object), isFilled: (field) => filled.get(field) }

  /** Reads as far as the first record that has one. */
  async function hasValue({ object, name: field }: FieldModel): Promise<boolean> {
    const where = { op: 'notNull', field } as const
    const order = [{ field: 'row_id', descending: false }]
    for await (const batch of store.search(object, { select: object.select(['row_id']), where, order, limit: 1 }))
      return batch.length > 0
    return false
  }
}
