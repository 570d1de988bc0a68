import { defineObject } from '../definition/define-object.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { PublicationDefinition, PublicationFormat } from './publication.js'
import { createTextTemplate } from './text-template.js'
import type { TextTemplate } from './template-data.js'

const Studio = defineObject({ name: 'Studio', fields: { stu_name: { type: 'string', label: 'Studio', key: true } } })

/** An object with fields of all kinds that publications show. */
export function createFilmModel(publications: Record<string, PublicationDefinition> = {}) {
  return createModel([
    Studio,
    defineObject({
      name: 'Film',
      pluralLabel: 'Films',
      fields: {
        fil_title: { type: 'string', label: 'Title', key: true },
        fil_year: { type: 'integer', label: 'Year' },
        fil_cost: { type: 'decimal', precision: 30, scale: 2, label: 'Cost' },
        fil_state: {
          type: 'enum',
          values: [
            { code: 'new', label: 'Brand new' },
            { code: 'old', label: 'Old' },
          ],
        },
        fil_tags: { type: 'multi-enum', values: [{ code: 'a', label: 'Action' }, 'b'] },
        fil_day: { type: 'date' },
        fil_at: { type: 'datetime' },
        fil_seen: { type: 'boolean' },
        fil_data: { type: 'object' },
        fil_text: { type: 'text' },
        fil_secret: { type: 'string', hidden: true },
        fil_pin: { type: 'password' },
        fil_poster: { type: 'image' },
        fil_studio_id: { type: 'reference', object: 'Studio', label: 'Studio' },
      },
      publications,
    }),
  ])
}

export const film: BusinessRecord = {
  row_id: '1',
  fil_title: 'Alien',
  fil_year: 1979,
  fil_cost: '12345678901234567890.5',
  fil_state: 'new',
  fil_tags: ['a', 'b'],
  fil_day: '1979-05-25',
  fil_at: '1979-05-25 20:15:00',
  fil_seen: true,
  fil_data: { stars: [1, 2], by: { name: 'R. S.' } },
  fil_text: '',
  fil_poster: '',
  fil_studio_id: '7',
  fil_studio_id__stu_name: 'Fox',
}

/** Compiles a template; mistakes are in `problems`. */
export function compile(
  text: string,
  format: PublicationFormat = 'txt',
  scope: 'record' | 'list' | 'file' = 'record',
): { readonly template: TextTemplate | undefined; readonly problems: string[] } {
  const problems: string[] = []
  const object: ObjectModel = createFilmModel().object('Film')
  return { template: createTextTemplate(text, { object, format, scope }, problems), problems }
}

/** The text that a template makes of a record, or of several. */
export function fill(
  text: string,
  format: PublicationFormat = 'txt',
  content: BusinessRecord | readonly BusinessRecord[] = film,
): string {
  const { template, problems } = compile(text, format, Array.isArray(content) ? 'list' : 'record')
  if (!template) throw new Error(problems.join('\n'))
  return template.render({
    content,
    pictures: new Map(),
    variables: {
      object: { name: 'Film', label: 'Film', pluralLabel: 'Films' },
      publication: { name: 'p', label: 'P' },
      user: { login: 'ann', firstname: 'Ann', lastname: '', email: '' },
      now: '2026-05-06 12:00:00',
    },
  })
}
