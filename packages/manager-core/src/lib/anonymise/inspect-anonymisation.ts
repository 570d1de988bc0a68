import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { ManagerContext } from '../context.js'
import { applicationOf } from '../databases/portable-dump.js'
import { instanceHomeAt } from '../home.js'
import { describeApplication } from './application.js'
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
}

/** Where an instance keeps its documents: below its data, below its application, or elsewhere (absolute). */
export type DocumentsPlace = { readonly below: 'data' | 'app' | null; readonly path: string }

/**
 * @param folder home of the instance that is cloned
 * @throws ManagerError ERR_NOT_FOUND, ERR_SETTINGS with all mistakes of the rules, ERR_FAILED
 */
export async function inspectAnonymisation(
  context: ManagerContext,
  folder: string,
  file: string,
): Promise<InspectedAnonymisation> {
  const { rules, hash } = await readRules(file)
  const settings = await context.settings.instance(folder)
  const described = await describeApplication(context, applicationOf(folder), { folder, settings })
  return { rules, hash, plan: resolveRules(rules, described), documents: placeOf(folder, described.documents) }
}

function placeOf(folder: string, documents: string): DocumentsPlace {
  const { app, data } = instanceHomeAt(resolve(folder))
  for (const [below, parent] of [['data', data] as const, ['app', app] as const]) {
    const path = relative(parent, documents)
    if (path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return { below, path }
  }
  return { below: null, path: documents }
}
