import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A mistake that keeps an application from starting, taken apart. */
export interface ReadProblem {
  /** Below the folder of the application. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The object that it is in, when no file is named. */
  readonly object?: string
  readonly path?: readonly string[]
  readonly message: string
}

/** Takes a message of a DefinitionError apart: `objects/a.yaml:3:1 …`, `Movie.publications.list: …`, or neither. */
export function readProblem(folder: string, text: string): ReadProblem {
  const [, file = '', line, column, rest = ''] = /^([^\s:]+\.\w+)(?::(\d+)(?::(\d+))?)?:? (.*)$/s.exec(text) ?? []
  if (file !== '' && existsSync(join(folder, file)))
    return {
      file,
      ...(line !== undefined && { line: Number(line) }),
      ...(column !== undefined && { column: Number(column) }),
      message: rest,
    }
  const [, object, path = '', message = ''] = /^(\w+)((?:\.\w+)*): (.*)$/s.exec(text) ?? []
  if (object === undefined) return { message: text }
  const keys = path.split('.').slice(1)
  return { object, path: keys.length === 1 ? ['fields', ...keys] : keys, message }
}
