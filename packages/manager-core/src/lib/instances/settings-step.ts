import type { Step, StepRun } from '../context.js'
import { reservePlace } from '../documents/places.js'
import type { Instance } from '../domain/instance.js'
import { fileError } from '../files/file-error.js'
import { isWebapp } from '../files/webapp.js'
import { newSettings, type NewSettingsOptions } from './new-settings.js'
import { stageOf } from './stage.js'

export interface SettingsStepOptions {
  readonly row: Pick<Instance, 'id' | 'name' | 'version' | 'database'>
  /** Name and user of its database; default: those of a new instance. */
  readonly names?: { readonly name: string; readonly user: string }
  /** Home of an instance whose I/O and administrator's credentials stay. */
  readonly keepCredentialsOf?: string
  /** Home of an instance that it is to be like. */
  readonly like?: string
  /** No place for documents is reserved. Default: one, where they are in a bucket. */
  readonly withoutDocuments?: boolean
  /** The same from elsewhere: what it is to be like, and credentials that stay. */
  readonly saved?: (run: StepRun) => Promise<Pick<NewSettingsOptions, 'keep' | 'like' | 'neutralised'>>
}

/** Writes the settings of what is laid out, with new secrets. */
export function settingsStep({
  row,
  names,
  keepCredentialsOf,
  like,
  withoutDocuments = false,
  saved,
}: SettingsStepOptions): Step {
  return {
    id: 'settings',
    title: 'Write its settings, with new secrets',
    async do(run) {
      const { context } = run
      const { port } = context.registry.byId(row.id) as Instance
      const stage = stageOf(run)
      const { address } = context.settings.global.documents
      const hasPlace = !withoutDocuments && address !== undefined && !isWebapp(stage.app)
      const settings = newSettings({
        ...row,
        port,
        documents: hasPlace ? await reservePlace(context, address, row.id) : undefined,
        names: names ?? context.databases.names(row.database, row.id),
        global: context.settings.global,
        version: await context.settings.version(row.version),
        ...(keepCredentialsOf !== undefined && { keep: await context.settings.instance(keepCredentialsOf) }),
        ...(like !== undefined && { like: await context.settings.instance(like) }),
        ...(await saved?.(run)),
      })
      try {
        await context.settings.writeInstance(stage.folder, settings)
      } catch (error) {
        throw fileError(error, 'Cannot write the settings of the instance')
      }
    },
    // It goes with what is laid out.
    check: () => 'not-done',
  }
}
