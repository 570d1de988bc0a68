import type { Steps } from '@steward/rest-core'
import { stringify } from 'yaml'

/** Members that are written in one step. */
const perStep = 20

/** How deep members are written one by one: paths, schemas. */
const depth = 3

interface Form {
  /** A member with all that is in it. */
  member(name: string, value: unknown): string
  /** One whose own members are written already. */
  parent(name: string, members: readonly string[]): string
  whole(members: readonly string[]): string
}

/** The JSON text of a large document. */
export function jsonSteps(document: object): Steps<string> {
  return textSteps(document, json)
}

/** The YAML text of a large document. */
export function yamlSteps(document: object): Steps<string> {
  return textSteps(document, yaml)
}

const json: Form = {
  member: (name, value) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  parent: (name, members) => `${JSON.stringify(name)}:${json.whole(members)}`,
  whole: (members) => `{${members.join(',')}}`,
}

const yaml: Form = {
  member: (name, value) => stringify({ [name]: value }, { aliasDuplicateObjects: false }),
  parent(name, members) {
    const key = stringify({ [name]: 0 }).replace(/ 0\n$/, '')
    return `${key}\n${members.map((text) => text.replace(/^(?=.)/gm, '  ')).join('')}`
  },
  whole: (members) => members.join(''),
}

function* textSteps(document: object, form: Form): Steps<string> {
  return form.whole(yield* membersOf(document, depth, form))
}

function* membersOf(value: object, levels: number, form: Form): Steps<string[]> {
  const members: string[] = []
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue
    const isParent = levels > 1 && typeof member === 'object' && member !== null && !Array.isArray(member)
    const own = isParent ? yield* membersOf(member, levels - 1, form) : []
    members.push(own.length > 0 ? form.parent(name, own) : form.member(name, member))
    if (members.length % perStep === 0) yield
  }
  return members
}
