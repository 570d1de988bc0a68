/** What the values of a field are, by its type number. Source: docs/spec/wire-decisions.md, "metadata". */
export type FieldKind =
  | 'number'
  | 'date'
  | 'datetime'
  | 'time'
  | 'enum'
  | 'list'
  | 'boolean'
  | 'url'
  | 'email'
  | 'long'
  | 'file'
  | 'json'
  | 'password'
  | 'text'

const kinds: Readonly<Record<number, FieldKind>> = {
  1: 'number',
  2: 'number',
  4: 'date',
  5: 'datetime',
  6: 'time',
  7: 'enum',
  8: 'boolean',
  9: 'password',
  10: 'url',
  11: 'long',
  12: 'email',
  13: 'long',
  14: 'list',
  17: 'file',
  20: 'file',
  24: 'json',
  26: 'number',
}

export function kindOf({ type }: { readonly type: number }): FieldKind {
  return kinds[type] ?? 'text'
}
