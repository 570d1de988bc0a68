import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, toast } from '@steward/page-kit'
import { messageOf } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { client } from '../lib/session.js'
import type { Values } from './draft.js'

export interface FileLinkProps {
  readonly metadata: ObjectMetadata
  readonly field: FieldMetadata
  readonly record: Values
}

/** Downloads the document of a field; the token travels in a header, which a plain link could not send. */
export function FileLink({ metadata, field, record }: FileLinkProps) {
  const value = record[field.name]
  if (value === null || value === undefined || value === '') return null

  async function download(): Promise<void> {
    try {
      const answer = await client.object(metadata.name).download(String(record['row_id']), field.name)
      const address = URL.createObjectURL(await answer.blob())
      const link = document.createElement('a')
      link.href = address
      link.download = nameOf(answer.headers.get('content-disposition')) || field.name
      link.click()
      setTimeout(() => URL.revokeObjectURL(address))
    } catch (reason) {
      toast(messageOf(reason), { tone: 'bad' })
    }
  }

  return (
    <Button small icon="save" onClick={() => void download()}>
      {t('record.download')}
    </Button>
  )
}

/** The file name in a `Content-Disposition`. Source: RFC 6266, 4.1. */
function nameOf(header: string | null): string {
  const [, encoded, plain = ''] = /filename\*=UTF-8''([^;]+)|filename="([^"]*)"/i.exec(header ?? '') ?? []
  return encoded === undefined ? plain : decodeURIComponent(encoded)
}
