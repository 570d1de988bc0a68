import type { ServerState } from '../server-state.js'
import { findAction, type Action, type Answer, type Json } from '@steward/manager-core'

/** An answer in the terms of its caller: of the API, or of the pages, see `ServerState`. */
export function termsFor({ state }: { readonly state: ServerState }, answer: Answer): Answer {
  return state.apiPrefix === undefined ? answer : inApiTerms(answer, state.apiPrefix)
}

/** Keys of texts for people; all else in an answer is data. */
const texts: ReadonlySet<string> = new Set(['message', 'title', 'cause', 'ending', 'help', 'hint', 'problem', 'text'])
/** Words that continue after a command without more parameters: `run manager refresh and …`. */
const goingOn: ReadonlySet<string> = new Set(['and', 'or', 'then', 'to', 'for', 'in', 'on', 'when', 'with', 'again'])

/**
 * An answer for a caller of the API, which names calls of the API where texts name commands: `GET /api?action=start&name=demo`
 * for `manager start demo`. Commands that the API does not have stay: they are run on the server. `call` is beside `command`.
 *
 * @param prefix path before `/api`
 */
export function inApiTerms(answer: Answer, prefix: string): Answer {
  const { command } = answer
  const call = typeof command === 'string' ? callOf(command, prefix)?.call : undefined
  return { ...(mapped(answer, prefix) as Answer), ...(call !== undefined && { call }) }
}

function mapped(value: Json, prefix: string): Json {
  if (Array.isArray(value)) return value.map((one) => mapped(one, prefix))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (texts.has(key) && typeof one === 'string') return [key, textInApiTerms(one, prefix)]
      if (key === 'warnings' && Array.isArray(one))
        return [key, one.map((each) => (typeof each === 'string' ? textInApiTerms(each, prefix) : each))]
      return [key, typeof one === 'object' ? mapped(one, prefix) : one]
    }),
  )
}

/** The same of one text. */
export function textInApiTerms(text: string, prefix: string): string {
  if (!text.includes('manager ')) return text
  let shown = ''
  let rest = text
  for (;;) {
    const at = rest.search(/\bmanager (?=[a-z])/)
    if (at < 0) return shown + rest
    const after = rest.slice(at + 'manager '.length)
    const found = callOf(after, prefix)
    shown += rest.slice(0, at) + (found ? `GET ${found.call}` : 'manager ')
    rest = found ? after.slice(found.length) : after
  }
}

interface Word {
  readonly text: string
  /** Where it ends, without punctuation after it. */
  readonly end: number
  /** A sentence, or a part of one, ends there. */
  readonly isLast: boolean
}

/** The call that does what a command does, with which `text` starts, and how much of the text that is. */
function callOf(text: string, prefix: string): { readonly call: string; readonly length: number } | undefined {
  const words = wordsOf(text)
  const named = [3, 2, 1].flatMap((count) => {
    if (words.length < count || words.slice(0, count - 1).some(({ isLast }) => isLast)) return []
    const name = words.slice(0, count).map((word) => word.text)
    const action = findAction(name.join(' '))
    return action && (action.surfaces ?? ['api']).includes('api') ? [{ action, count }] : []
  })
  const [first] = named
  if (!first) return undefined
  const { action, count } = first
  const given = parametersOf(action, words[count - 1]?.isLast ? [] : words.slice(count))
  if (!given) return undefined
  const query = [['action', action.name.replaceAll(' ', '-')] as const, ...given.parameters]
  const call = `${prefix}/api?${query.map(([name, value]) => `${name}=${encoded(value)}`).join('&')}`
  return { call, length: given.end ?? (words[count - 1] as Word).end }
}

/** @returns undefined: it has an input that the address of a call cannot have */
function parametersOf(action: Action, words: readonly Word[]) {
  const { parameters = [], options = [] } = action
  const found: (readonly [name: string, value: string])[] = []
  const open = [...parameters]
  let end: number | undefined
  for (let at = 0; at < words.length; at++) {
    let word = words[at] as Word
    const isOption = word.text.startsWith('--')
    if (isOption) {
      const option = options.find(({ name }) => name.replaceAll('_', '-') === word.text.slice(2).replaceAll('_', '-'))
      if (!option || option.surfaces?.includes('api') === false || option.type === 'file' || option.secret)
        return undefined
      if (option.type === 'flag') found.push([option.name, 'true'])
      else {
        if (word.isLast || words[at + 1] === undefined) return undefined
        word = words[++at] as Word
        found.push([option.name, word.text])
      }
    } else {
      const [parameter] = open
      if (!parameter || (!parameter.required && goingOn.has(word.text))) break
      if (parameter.type === 'file' || parameter.secret) return undefined
      if (!parameter.variadic) open.shift()
      found.push([parameter.name, word.text])
    }
    end = word.end
    if (word.isLast) break
  }
  return { parameters: found, end }
}

function wordsOf(text: string): readonly Word[] {
  const words: Word[] = []
  for (const match of text.matchAll(/(\S+)(\s|$)/g)) {
    const [, whole = '', space] = match
    const word = whole.replace(/[.,;:)"”’]+$/, '')
    if (word === '' || /["(]/.test(word)) break
    words.push({ text: word, end: match.index + word.length, isLast: word !== whole || space !== ' ' })
    if (word !== whole || words.length > 12) break
  }
  return words
}

/** A placeholder stays what it is. */
const encoded = (value: string) => (/^<.*>$/.test(value) ? value : encodeURIComponent(value))
