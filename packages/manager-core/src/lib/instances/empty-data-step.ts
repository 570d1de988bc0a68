import { makeFolder } from '../accounts/places.js'
import type { Step } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import { writeDataRecord } from './data-record.js'

/** Makes what is gone of the database and the folder for data; what is there stays. */
export function emptyDataStep({ folder }: { readonly folder: string }): Step {
  return {
    id: 'empty-data',
    title: 'Create an empty database to replace the missing one',
    async do({ context }) {
      const settings = await context.settings.instance(folder)
      await makeFolder(instanceHomeAt(folder).data, 0o700)
      await context.databases.server(settings.database).create(context.databases.account(folder, settings))
      writeDataRecord(folder, {})
    },
    check: () => 'not-done',
  }
}
