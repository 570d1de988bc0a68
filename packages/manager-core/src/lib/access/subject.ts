import type { Action, Input } from '../actions/action.js'
import type { Json } from '../domain/json.js'
import type { Registry } from '../store/registry.js'

/** What a call is about, for the history. */
export interface Subject {
  /** Empty texts: none that is there. */
  readonly instance: { readonly id: string; readonly name: string }
  /** Without secrets. */
  readonly parameters: Json
}

export function subjectOf(
  { parameters = [], options = [] }: Pick<Action, 'parameters' | 'options'>,
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
