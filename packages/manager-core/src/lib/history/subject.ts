import type { Input } from '../domain/input.js'
import type { Json } from '../domain/json.js'
import type { Registry } from '../store/registry.js'

/** What a call is about, for the history. */
export interface Subject {
  /** Empty texts: none that is there. */
  readonly instance: { readonly id: string; readonly name: string }
  /** Without secrets. */
  readonly parameters: Json
}

/** What an action takes. */
export interface WithInputs {
  readonly parameters?: readonly DeclaredInput[]
  readonly options?: readonly DeclaredInput[]
}

interface DeclaredInput {
  readonly name: string
  readonly type: string
  readonly secret?: boolean
}

export function subjectOf(
  { parameters = [], options = [] }: WithInputs,
  input: Readonly<Record<string, Input>>,
  registry: Registry,
): Subject {
  const declared = [...parameters, ...options]
  const about = declared.find(({ name, type }) => type === 'instance' && input[name] !== undefined)
  const instance = about && registry.find(String(input[about.name]))
  const shown = declared.filter(({ name, secret }) => name !== about?.name && !secret && input[name] !== undefined)
  return {
    instance: { id: instance?.id ?? '', name: instance?.name ?? '' },
    parameters: Object.fromEntries(shown.map(({ name }) => [name, input[name] as Json])),
  }
}
