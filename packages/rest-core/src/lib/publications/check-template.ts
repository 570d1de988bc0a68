import type { HelperOptions } from 'handlebars'
import { baseField } from '../model/model.js'
import type { ObjectModel } from '../model/model.js'
import { createScanner } from './places.js'
import type { TemplateNeeds } from './template-data.js'
import type { TemplatePlace, Scanner } from './places.js'
import type { PublicationFormat } from './publication.js'
import { blockHelpers, createHelpers, valueHelpers } from './template-helpers.js'
import { checkVariable, meaningOf } from './template-scope.js'
import type { Meaning, TemplateScope } from './template-scope.js'

type Node = hbs.AST.Node
interface Frame {
  readonly scope: TemplateScope
  /** Block parameters. */
  readonly names: ReadonlyMap<string, TemplateScope>
}

/**
 * Checks a template before its first use, so that it can never fail or leak by what a record holds: names must be there,
 * only the helpers of this project run, and every value stands where its format can hold it; every value is put into the
 * helper `$out`, which escapes it.
 *
 * @param problems gets every mistake with its line.
 */
export function checkTemplate(
  program: hbs.AST.Program,
  { object, format, scope }: { object: ObjectModel; format: PublicationFormat; scope: TemplateScope },
  problems: string[],
): TemplateNeeds {
  const needs: TemplateNeeds = { fields: new Set(), pictures: [] }
  const helpers = createHelpers(object, format)
  const scanner: Scanner = createScanner(format)
  const frames: Frame[] = [{ scope, names: new Map() }]
  walk(program)
  return needs

  function tell(node: Node, text: string): void {
    problems.push(`line ${node.loc.start.line}: ${text}`)
  }

  /** A mistake is reported, and the rest is checked too. */
  function attempt(node: Node, check: () => void): void {
    try {
      check()
    } catch (error) {
      tell(node, (error as Error).message)
    }
  }

  function walk({ body }: hbs.AST.Program): void {
    for (const [at, node] of body.entries()) {
      attempt(node, () => {
        if (node.type === 'ContentStatement') scanner.text((node as hbs.AST.ContentStatement).value)
        else if (node.type === 'MustacheStatement') body[at] = checkValue(node as hbs.AST.MustacheStatement)
        else if (node.type === 'BlockStatement') checkBlock(node as hbs.AST.BlockStatement)
        else if (node.type !== 'CommentStatement') throw new Error(`${node.type} is not supported in templates`)
      })
    }
  }

  function checkValue(node: hbs.AST.MustacheStatement): hbs.AST.MustacheStatement {
    const shown = sourceOf(node)
    if (!node.escaped) throw new Error(`{{{${shown}}}} and {{&${shown}}} are not supported: values are always escaped`)
    let place: TemplatePlace
    try {
      place = scanner.place()
    } catch (error) {
      throw new Error(`{{${shown}}} ${(error as Error).message}`, { cause: error })
    }
    const { path } = node
    const isHelper = isPath(path) && isName(path) && valueHelpers.includes(path.original)
    const name = isHelper ? path.original : ''
    if (format === 'json' || format === 'pdf') checkJsonPlace(shown, name, place)
    const call = { ...node, type: 'SubExpression' } as unknown as hbs.AST.SubExpression
    if (!isHelper) {
      if (node.params.length > 0 || node.hash)
        throw new Error(`has no helper "${shown}"; there are ${[...valueHelpers, ...blockHelpers].join(', ')}`)
      checkShown(path)
    } else checkCall(call, place)
    const literal = { type: 'StringLiteral', value: place, original: place, loc: node.loc } as hbs.AST.StringLiteral
    return {
      ...node,
      path: { type: 'PathExpression', data: false, depth: 0, parts: ['$out'], original: '$out', loc: node.loc },
      params: [isHelper ? call : path, literal],
      hash: undefined as never,
    }
  }

  function checkJsonPlace(shown: string, helper: string, place: TemplatePlace): void {
    if (place === 'value' && helper !== 'json')
      throw new Error(`{{${shown}}} must stand between the quotes of a string, or be {{json ${shown}}}`)
    if (place !== 'value' && helper === 'json')
      throw new Error(`{{${shown}}} is a whole JSON value, so it cannot stand between quotes`)
  }

  /** Arguments of a helper of values; the names of fields are passed to those that need them. */
  function checkCall(call: hbs.AST.SubExpression, place: TemplatePlace): void {
    const { path, params, hash } = call
    const { original: name } = path
    const [first] = params
    const one = ['date', 'number', 'label', 'image', 'json', 'not'].includes(name)
    if (!first || (one && params.length > 1) || (name === 'eq' && params.length !== 2))
      throw new Error(`"${name}" needs ${one ? 'one value' : 'two values'}`)
    const meanings = params.map((param) => checkExpression(param))
    if (name === 'label' || name === 'image') addFieldName(call, meanings[0], place)
    else if (meanings.some((meaning) => meaning.scope === 'record' || meaning.scope === 'list'))
      throw new Error(`"${name}" needs a value, not records`)
    checkHash(name, hash)
  }

  function addFieldName(call: hbs.AST.SubExpression, meaning: Meaning | undefined, place: TemplatePlace): void {
    const { path, params, hash, loc } = call
    const { original: name } = path
    const field = meaning?.field
    if (!field) throw new Error(`"${name}" needs a field`)
    params.push({ type: 'StringLiteral', value: field.name, original: field.name, loc } as hbs.AST.StringLiteral)
    if (name === 'label') return
    if (!['html', 'md', 'pdf'].includes(format)) throw new Error(`"image" does not work in ${format}`)
    if (baseField(field).type.name !== 'image') throw new Error(`"image" needs an image field, "${field.name}" is none`)
    if (place === 'text' || place === 'quoted' || place === 'url') {
      params.push({ type: 'StringLiteral', value: place, original: place, loc } as hbs.AST.StringLiteral)
      const flag = hash?.pairs.find(({ key }) => key === 'thumbnail')?.value
      needs.pictures.push({
        field: field.name,
        thumbnail: (flag as hbs.AST.BooleanLiteral | undefined)?.value === true,
      })
    }
  }

  /** Options are literals, so that they can be tried now. */
  function checkHash(helper: string, hash: hbs.AST.Hash | undefined): void {
    if (!hash) return
    const known: Record<string, readonly string[]> = {
      date: ['style', 'locale'],
      number: ['digits', 'locale'],
      image: ['thumbnail', 'width', 'height'],
    }
    const values: Record<string, unknown> = {}
    for (const { key, value } of hash.pairs) {
      if (!known[helper]?.includes(key)) throw new Error(`"${helper}" has no option "${key}"`)
      if (!/^(?:String|Number|Boolean)Literal$/.test(value.type))
        throw new Error(`option "${key}" of "${helper}" must be a fixed text, number, true or false`)
      values[key] = (value as hbs.AST.StringLiteral).value
    }
    if (helper === 'image') return
    const sample = helper === 'date' ? '2000-01-01 00:00:00' : 1
    const run = helpers[helper] as unknown as (value: unknown, options: Partial<HelperOptions>) => unknown
    run(sample, { hash: helper === 'date' ? { style: 'short', ...values } : values })
  }

  function checkBlock({ path, params, hash, program: inner, inverse }: hbs.AST.BlockStatement): void {
    const { original: name } = path
    if (!blockHelpers.includes(name))
      throw new Error(
        `has no block "{{#${name}}}"; there are ${blockHelpers.map((block) => `{{#${block}}}`).join(', ')}`,
      )
    const [param] = params
    if (!param || params.length > 1) throw new Error(`{{#${name}}} needs one value`)
    if (hash) throw new Error(`{{#${name}}} has no options`)
    const meaning = checkExpression(param)
    if (name === 'each') frames.push(frameOfItems(meaning, inner.blockParams))
    checkBranch(inner)
    if (name === 'each') frames.pop()
    if (inverse) checkBranch(inverse)
  }

  function checkBranch(branch: hbs.AST.Program): void {
    const [kind, back] = [scanner.kind(), scanner.mark()]
    walk(branch)
    if (scanner.kind() !== kind) tell(branch, 'a block must end in the same tag, quotes or text in which it started')
    back()
  }

  function frameOfItems({ scope: whole, field }: Meaning, names: readonly string[] = []): Frame {
    const item: TemplateScope | undefined =
      whole === 'list' ? 'record' : whole === 'json' ? 'json' : field?.type.name === 'multi-enum' ? 'value' : undefined
    if (!item) throw new Error('{{#each}} needs records, a field of type multi-enum or a JSON value')
    const [one, index] = names
    const named = new Map<string, TemplateScope>()
    if (one !== undefined) named.set(one, item)
    if (index !== undefined) named.set(index, 'value')
    return { scope: item, names: named }
  }

  /** A value that is shown as it is. */
  function checkShown(node: Node): void {
    const { scope: found } = checkExpression(node)
    if (found === 'record' || found === 'list')
      throw new Error(`{{${sourceOf({ path: node })}}} is no value but records`)
  }

  function checkExpression(node: Node): Meaning {
    if (isPath(node)) return checkPath(node)
    if (node.type === 'SubExpression') {
      const call = node as hbs.AST.SubExpression
      if (!valueHelpers.includes(call.path.original)) throw new Error(`has no helper "${call.path.original}"`)
      if (call.path.original === 'image' || call.path.original === 'json')
        throw new Error(`"${call.path.original}" cannot be inside another helper`)
      checkCall(call, 'text')
    }
    return { scope: 'value' }
  }

  function checkPath(path: hbs.AST.PathExpression): Meaning {
    const { data, depth, parts } = path
    if (data) {
      if (parts[0] === 'root') return inFrame(frames[0] as Frame, parts.slice(1))
      checkVariable(parts)
      return { scope: 'value' }
    }
    const frame = frames[frames.length - 1 - depth]
    if (!frame) throw new Error(`"${path.original}" goes further up than the template`)
    const [first = ''] = parts
    const named = depth === 0 && isName(path, false) ? frames.findLast(({ names }) => names.has(first)) : undefined
    return named
      ? inFrame({ scope: named.names.get(first) as TemplateScope, names: new Map() }, parts.slice(1))
      : inFrame(frame, parts)
  }

  function inFrame(frame: Frame, parts: readonly string[]): Meaning {
    const meaning = meaningOf(object, frame.scope, parts)
    if (meaning.field) needs.fields.add(meaning.field.name)
    return meaning
  }
}

function isPath(node: Node): node is hbs.AST.PathExpression {
  return node.type === 'PathExpression'
}

/** A bare name, no `this.x`, `../x` or `@x`. */
function isName(path: hbs.AST.PathExpression, whole = true): boolean {
  return !path.data && path.depth === 0 && !/^(?:this\b|\.)/.test(path.original) && (!whole || path.parts.length === 1)
}

function sourceOf({ path, params = [] }: { path: Node; params?: readonly Node[] }): string {
  return [path, ...params].map((node) => String((node as { original?: unknown }).original ?? '…')).join(' ')
}
