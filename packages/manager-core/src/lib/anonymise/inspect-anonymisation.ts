import { isAbsolute, relative, resolve, sep } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { applicationOf } from '../databases/portable-dump.js'
import { instanceHomeAt } from '../domain/home.js'
import { describeApplication } from './application.js'
import { loadFake, type Fake } from './fake.js'
import { readRules } from './read-rules.js'
import { resolveRules, type AnonymisationPlan } from './resolve-rules.js'
import type { Rules } from './rule.js'

/** A file of rules as it applies to an instance. */
export interface InspectedAnonymisation {
  readonly rules: Rules
  readonly plan: AnonymisationPlan
  /** SHA-256 of the file. */
  readonly hash: string
  readonly documents: DocumentsPlace
  /** When values are made up. */
  readonly fake: Fake | undefined
}

/** Where an instance keeps its documents: a path below its data or its application. */
export type DocumentsPlace = { readonly below: 'data' | 'app'; readonly path: string }

/**
 * @param folder home of the instance that is cloned
 * @throws ManagerError ERR_NOT_FOUND, ERR_SETTINGS with all mistakes of the rules, ERR_STATE, ERR_FAILED
 */
export async function inspectAnonymisation(
  context: ManagerContext,
  folder: string,
  file: string,
): Promise<InspectedAnonymisation> {
  const { rules, hash } = await readRules(file)
  const settings = await context.settings.instance(folder)
  const described = await describeApplication(context, applicationOf(folder), { folder, settings })
  const plan = resolveRules(rules, described)
  const makesUp = plan.objects.some(({ columns }) => columns.some(({ rule }) => rule.fake !== undefined))
  const fake = makesUp ? await loadFake(rules.locale) : undefined
  return { rules, hash, plan, documents: placeOf(folder, described.documents), fake }
}

function placeOf(folder: string, documents: string): DocumentsPlace {
  const { app, data } = instanceHomeAt(resolve(folder))
  for (const [below, parent] of [['data', data] as const, ['app', app] as const]) {
    const path = relative(parent, documents)
    if (path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return { below, path }
  }
  // A clone tidies up documents that no record of it has: it would remove those of its source.
  throw new ManagerError(
    'ERR_STATE',
    `Its documents are in ${documents}, and an anonymised clone must not share them.`,
    {
      help:
        'In app.yaml, set "documents" to a folder below the application, or remove it: then each instance keeps them ' +
        'in its data.',
    },
  )
}
