import type { Knex } from 'knex'

// After the tables follow the definitions, so that the new columns are there.
export const when = 'after'

export async function up(knex: Knex): Promise<void> {
  // A new database never had it.
  if (!(await knex.schema.hasColumn('person', 'per_name'))) return
  const people = await knex('person')
    .whereNull('per_last')
    .select<{ row_id: number; per_name: string }[]>('row_id', 'per_name')
  for (const { row_id, per_name } of people) {
    const names = per_name.split(' ')
    await knex('person')
      .where({ row_id })
      .update({ per_first: names.slice(0, -1).join(' ') || null, per_last: names.at(-1) })
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex('person').update({ per_first: null, per_last: null })
}
