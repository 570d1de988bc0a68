import { RestClientError } from '@steward/rest-client'
import { t } from '../lib/i18n.js'
import { metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { isPartOfKey, titleOf } from '../lib/title.js'
import { useAsked } from '../lib/use-asked.js'

/** What a record is called; `undefined`: the user may not see it; the record that refers to it is still right. */
async function readTitle(object: string, id: string): Promise<string | undefined> {
  try {
    const [record, metadata] = await Promise.all([client.object(object).get(id), metadataOf(object, 'list')])
    return titleOf(record, metadata)
  } catch (failure) {
    if (RestClientError.is(failure) && [403, 404].includes(failure.status)) return undefined
    throw failure
  }
}

/**
 * What a linked record is called, when `title` comes with the reference: that, unless it is one part of a functional key
 * of several fields, as of an order line its number without the order.
 *
 * @param shown fields of the linked object that come with the reference
 */
export async function wholeTitle(object: string, id: string, title: string, shown: readonly string[]) {
  if (title === '') return readTitle(object, id)
  const metadata = await metadataOf(object, 'list').catch(() => undefined)
  return metadata && isPartOfKey(shown, metadata) ? readTitle(object, id) : title
}

export interface LinkedRecordProps {
  readonly object: string
  readonly id: string
  /** What came with the reference. Empty or absent: it is asked for. */
  readonly title?: string
  /** Fields of the object that came with it. */
  readonly shown?: readonly string[]
  /** Whether it leads to the record. Default: yes. */
  readonly link?: boolean
}

/** The linked record of a reference. */
export function LinkedRecord({ object, id, title = '', shown = [], link = true }: LinkedRecordProps) {
  const { data, failure } = useAsked(`${object}/${id} ${title}`, async () => ({
    title: await wholeTitle(object, id, title, shown),
  }))
  if (data && data.title === undefined) return <span class="quiet">{t('record.notVisible')}</span>
  const text = data?.title ?? (title || (failure === undefined ? '…' : id))
  return link ? <a href={pathTo(object, id)}>{text}</a> : <>{text}</>
}
