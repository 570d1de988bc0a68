import { createPauses } from '@steward/rest-core'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import type { ErrorMessage } from '@steward/rest-core/errors'
import { RestError, mostMessages } from '@steward/rest-core/errors'
import type { ImportRecord, FilePlace } from './import-record.js'
import { withPlace } from './import-record.js'
import { notFound } from './import-values.js'
import type { PendingReference } from './import-values.js'
import { createKeyReferences } from './key-references.js'
import type { PasswordBodies } from './password-bodies.js'
import { createRecordWriter } from './write-record.js'
import type { Outcome } from './write-record.js'

/** Per object, in the order of the files, the result for the records. */
export type ImportReport = { readonly [object: string]: Readonly<Record<Outcome, number>> }

/** A record that is written, but for references to records that were not there yet. */
interface Unfinished {
  readonly record: ImportRecord
  readonly rowId: string
  readonly outcome: Outcome
  readonly pending: readonly PendingReference[]
}

/**
 * Imports records as one transaction: all of them, or nothing. References to records that come later in the files are
 * filled in at the end.
 *
 * @param bodies of the same records. Default: their passwords are hashed within the transaction.
 * @throws RestError ERR_VALIDATION or ERR_CONFLICT with up to 100 messages, each with its file, line or record
 */
export async function importRecords(
  service: BusinessObjects,
  principal: Principal,
  records: AsyncIterable<ImportRecord>,
  bodies: PasswordBodies = new Map(),
): Promise<ImportReport> {
  return service.transaction(async (inside) => {
    const references = createKeyReferences(inside, principal)
    const writer = createRecordWriter(inside, principal, references)
    const report = new Map<string, Record<Outcome, number>>()
    const unfinished: Unfinished[] = []
    const messages: ErrorMessage[] = []
    const pause = createPauses()
    let number = 0
    for await (const record of records) {
      await pause()
      const body = bodies.get(number++)
      await attempt(record, async () => {
        const { rowId, outcome, pending } = await writer.write(record, body)
        count(record.object, outcome, 1)
        if (pending.length > 0) unfinished.push({ record, rowId, outcome, pending })
      })
    }
    // References to what failed would only repeat what is known.
    if (messages.length === 0) {
      for (const each of unfinished) {
        await pause()
        await attempt(each.record, async () => finish(each))
      }
    }
    if (messages.length > 0) throw RestError.validation(messages)
    return Object.fromEntries(report)

    async function finish({ record, rowId, outcome, pending }: Unfinished): Promise<void> {
      const values: Record<string, unknown> = {}
      for (const { field, key, values: held } of pending) {
        const { target } = field as typeof field & { target: Parameters<typeof references.find>[0] }
        const linked = await references.find(target, key, field.name)
        if (linked === undefined) throw notFound(field, key)
        Object.assign(values, held)
        values[field.name] = linked
      }
      const changed = await writer.change(record.object, rowId, values)
      if (!changed || outcome !== 'unchanged') return
      count(record.object, 'unchanged', -1)
      count(record.object, 'updated', 1)
    }

    function count(object: string, outcome: Outcome, by: 1 | -1): void {
      let counts = report.get(object)
      if (!counts) report.set(object, (counts = { created: 0, updated: 0, deleted: 0, unchanged: 0 }))
      counts[outcome] += by
    }

    async function attempt({ place, object }: ImportRecord, work: () => Promise<void>): Promise<void> {
      try {
        await work()
      } catch (error) {
        // A transaction in which a statement failed may fail whatever comes next; what was found before is reported.
        if (!RestError.is(error) || error.status >= 500) {
          if (messages.length === 0 || (RestError.is(error) && error.status === 503)) throw error
          throw RestError.validation(messages)
        }
        if (messages.length === 0 || !isMissingReference(error)) messages.push(...placed(error, place, object))
        if (error.code === 'ERR_CONFLICT') throw RestError.conflict(messages, error)
        if (messages.length >= mostMessages) throw RestError.validation(messages)
      }
    }
  })
}

/** After another mistake: the missing record may be the one that was refused. */
function isMissingReference({ messages }: RestError): boolean {
  return messages.length > 0 && messages.every(({ code }) => code === 'ERR_REFERENCE')
}

function placed(error: RestError, place: FilePlace, object: string): ErrorMessage[] {
  const messages = error.messages.length > 0 ? error.messages : [{ code: error.code, text: error.message }]
  return messages.map((message) => ({ ...message, text: withPlace(place, `${object}: ${message.text}`) }))
}
