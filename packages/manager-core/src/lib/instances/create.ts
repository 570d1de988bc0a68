import type { OperationKind, Plan, Step } from '../context.js'
import { sizeText } from '../domain/readable.js'
import type { Decision } from '../domain/request.js'
import { approveRequest } from '../store/request-rows.js'
import { accountStep } from './account-step.js'
import { administratorStep } from './administrator-step.js'
import { anonymisedDataStep, type AnonymisationFacts } from './anonymised-data-step.js'
import { copyDataStep } from './copy-data-step.js'
import type { CreationFacts, CreationRequest } from './creation.js'
import { databaseStep } from './database-step.js'
import { defineStep } from './define-step.js'
import { firstStartStep } from './first-start-step.js'
import { hookStep } from './hook-steps.js'
import { inspectCreation } from './inspect-creation.js'
import { neutraliseStep } from './neutralise.js'
import { reserveStep } from './reserve-step.js'
import { settingsStep } from './settings-step.js'
import { layoutStep, placeStep } from './stage.js'

/** Makes an instance of a version, or of another instance. */
export const addKind = creationKind('add')

/** Makes an instance of another one: the same application and data, new secrets. */
export const cloneKind = creationKind('clone')

function creationKind(kind: 'add' | 'clone'): OperationKind<CreationRequest, CreationFacts> {
  return {
    kind,
    locks: ({ id, name, from }) => [
      `name:${name.toLowerCase()}`,
      `instance:${id}`,
      ...('instance' in from ? [`instance:${from.instance}`] : []),
    ],
    inspect: inspectCreation,
    plan: ({ decision }, facts) => planCreation(kind, facts, decision),
  }
}

function planCreation(
  kind: 'add' | 'clone',
  { row, folder, application, source, bytes, anonymisation, isolated }: CreationFacts,
  decision: Decision | undefined,
): Plan {
  const { id, name, version, database, desired } = row
  const instance = { id, name }
  const options = { database, protected: row.protected, auto_save: row.autoSave, auto_update: row.autoUpdate }
  const hook = {
    args: [name, source?.name ?? version, ...hookOptions(options)],
    input: { action: kind, instance: name, version, source: source?.name ?? null, options },
    instance,
  }
  const steps: Step[] = [
    reserveStep(row),
    hookStep({ ...hook, hook: 'pre-add', folder: undefined }),
    ...(isolated ? [accountStep()] : []),
    layoutStep(application, { without: withoutDocuments(anonymisation), isolated }),
    settingsStep({ row, ...(source && { like: source.folder }) }),
    ...(anonymisation ? [neutraliseStep()] : []),
    databaseStep({ row }),
    ...(source && !anonymisation ? [copyDataStep(source)] : []),
    ...(source && anonymisation ? [anonymisedDataStep(source, anonymisation), administratorStep()] : []),
    placeStep({ folder }),
    defineStep({ row, folder }),
    ...(desired === 'started' ? [firstStartStep({ instance, folder })] : []),
    { ...hookStep({ ...hook, hook: 'post-add', folder }), pointOfNoReturn: true },
  ]
  return {
    title: source
      ? `Clone instance "${source.name}" as "${name}" (${database}${anonymisation ? ', anonymised' : ''})`
      : `Add instance "${name}" (version ${version}, ${database})`,
    instance,
    steps,
    notes: [
      `It initially needs ${sizeText(bytes)} of disk space.`,
      ...(source && source.database !== database
        ? [
            `If "${source.name}" is running, it is paused until its records are copied to a database of another type, ` +
              'but at most for APPS_SUSPENDMAX; then it resumes with a warning.',
          ]
        : []),
      ...(anonymisation ? ['The clone is neutralised: it sends nothing out (see unneutralise).'] : []),
    ],
    commit(registry, { context }) {
      registry.updateInstance(id, { desired })
      if (decision) approveRequest(context.registry, decision, name)
    },
  }
}

/** Documents that lie in the application. */
function withoutDocuments(anonymisation: AnonymisationFacts | undefined): readonly string[] {
  const isCopied = !anonymisation || anonymisation.keepsDocuments || anonymisation.documents.below !== 'app'
  return isCopied ? [] : [anonymisation.documents.path]
}

/** As hooks get them: `database=sqlite`, `auto_save=no`. */
function hookOptions(options: Readonly<Record<string, string | boolean>>): string[] {
  const text = (value: string | boolean) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : value)
  return Object.entries(options).map(([name, value]) => `${name}=${text(value)}`)
}
