import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Field types of `Everything`, by their names there. */
export const fieldTypes = [
  'string',
  'text',
  'html',
  'url',
  'email',
  'phone',
  'color',
  'regexp',
  'integer',
  'decimal',
  'date',
  'datetime',
  'time',
  'geocoords',
  'boolean',
  'enum',
  'multi-enum',
  'password',
  'object',
  'document',
  'image',
] as const

export const nameOf = (type: string): string => `e_${type.replace('-', '_')}`

const files: Readonly<Record<string, string>> = {
  'app.yaml': 'name: stall\nversion: 1.0.0\nlog: { format: none }\n',
  'objects/everything.yaml': [
    'name: Everything',
    'indexable: true',
    'audit: true',
    'events: true',
    'fields:',
    '  e_key: { type: string, length: 40, key: true }',
    '  e_parent: { type: reference, object: Everything }',
    '  e_pattern: { type: text, pattern: "(a+)+" }',
    ...fieldTypes.map((type) => `  ${nameOf(type)}: { type: ${type}${more(type)} }`),
    'publications:',
    '  csv: { format: csv, scope: global }',
    '  pdf: { format: pdf, scope: global, fields: [e_key, e_integer, e_string] }',
    '  xlsx: { format: xlsx, scope: global, fields: [e_key, e_integer, e_string] }',
    '  page: { format: html, scope: global, template: "{{#each records}}<p>{{e_key}} {{e_text}}</p>{{/each}}" }',
    'crosstabs:',
    '  byKey: { lines: [e_key], values: [{ function: count }] }',
    '',
  ].join('\n'),
  'objects/small.ts': `
export default {
  name: 'Small',
  fields: { s_key: { type: 'string', key: true }, s_number: { type: 'integer' } },
  actions: {
    echo: { scope: 'global', parameters: { text: { type: 'text' }, data: { type: 'object' } }, run: () => 'done' },
  },
}
`,
}

function more(type: string): string {
  if (type.endsWith('enum')) return ', values: [a, b, c]'
  if (type === 'decimal') return ', precision: 20, scale: 4'
  return ''
}

export async function writeApplication(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}
