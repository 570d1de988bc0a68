import { createRequire } from 'node:module'
import type Handlebars from 'handlebars'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import { checkTemplate } from './check-template.js'
import type { TemplateData, TemplateNeeds, TextTemplate } from './template-data.js'
import type { PublicationFormat } from './publication.js'
import { blockHelpers, createHelpers, valueHelpers } from './template-helpers.js'
import type { TemplateScope } from './template-scope.js'

/**
 * Reads a template. What it shows is escaped for the format; templates are data and never run as code of the application.
 *
 * @param problems gets every mistake with its line; the result is of no use then.
 */
export function createTextTemplate(
  text: string,
  { object, format, scope }: { object: ObjectModel; format: PublicationFormat; scope: TemplateScope },
  problems: string[],
): TextTemplate | undefined {
  const handlebars = loadHandlebars()
  let program: hbs.AST.Program
  try {
    program = handlebars.parse(text)
  } catch (error) {
    const text = (error as Error).message.replaceAll(/\s*\n\s*/g, ' ')
    problems.push(
      text.includes('CLOSE_UNESCAPED') ? `${text} (put a blank between "}}" and a "}" that follows it)` : text,
    )
    return undefined
  }
  const before = problems.length
  const needs = checkTemplate(program, { object, format, scope }, problems)
  if (problems.length > before) return undefined

  const own = handlebars.create()
  const known = [...blockHelpers, ...valueHelpers, '$out']
  const render = own.compile<unknown>(program, {
    // `$out` escapes.
    noEscape: true,
    knownHelpersOnly: true,
    knownHelpers: Object.fromEntries(known.map((name) => [name, true])),
  })
  const helpers = createHelpers(object, format) as Record<string, Handlebars.HelperDelegate>
  return {
    needs,
    render: ({ content, variables, pictures }) =>
      render(contentOf(object, needs, content), {
        helpers,
        data: { ...variables, pictures },
        allowProtoMethodsByDefault: false,
        allowProtoPropertiesByDefault: false,
      }),
  }
}

function contentOf(object: ObjectModel, { fields }: TemplateNeeds, content: TemplateData['content']): unknown {
  const empty = [...fields].map((name) => [name, object.field(name)?.type.empty] as const)
  if (!Array.isArray(content)) return ownValues(content as BusinessRecord)
  return { records: content.map(ownValues), count: content.length }

  /** Fields that this user does not see are empty. */
  function ownValues(record: BusinessRecord): object {
    return Object.fromEntries(empty.map(([name, value]) => [name, Object.hasOwn(record, name) ? record[name] : value]))
  }
}

let loaded: typeof Handlebars | undefined

/**
 * Handlebars is loaded when the first model has a template; at once, since templates are checked with their model. From
 * its one file: the package itself loads 46, among them maps of sources, and needs a third more time.
 */
function loadHandlebars(): typeof Handlebars {
  return (loaded ??= createRequire(import.meta.url)('handlebars/dist/handlebars.js') as typeof Handlebars)
}
