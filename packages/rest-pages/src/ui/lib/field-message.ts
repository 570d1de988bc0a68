import type { FieldMetadata } from '@steward/rest-core'

/** A message of the service about a field, under its label: `Field "prd_stock" must be at most 10.` is `Must be at most 10.` */
export function underLabel(text: string, field: string): string {
  const start = `Field "${field}" `
  if (!text.startsWith(start)) return text
  const rest = text.slice(start.length)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

/** With the labels of fields in place of their names: `Field "Stock" must be at most 10.` */
export function withLabels(text: string, fields: readonly Pick<FieldMetadata, 'name' | 'label'>[]): string {
  return text.replaceAll(/"([A-Za-z]\w*)"/g, (quoted, name: string) => {
    const label = fields.find((field) => field.name === name)?.label
    return label ? `"${label}"` : quoted
  })
}
