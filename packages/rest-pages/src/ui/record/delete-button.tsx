import type { ObjectMetadata } from '@steward/rest-core'
import { Button, Confirm, Notice, toast } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { messageOf } from '../components/problem.js'
import { consequencesOf } from '../lib/consequences.js'
import { t } from '../lib/i18n.js'
import { client } from '../lib/session.js'

export interface DeleteButtonProps {
  readonly metadata: ObjectMetadata
  readonly id: string
  readonly title: string
  readonly onDeleted: () => void
}

/** Deletes a record, and says before what happens to the records that refer to it. */
export function DeleteButton({ metadata, id, title, onDeleted }: DeleteButtonProps) {
  const [consequences, setConsequences] = useState<readonly string[]>()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')

  async function ask(): Promise<void> {
    setFailure('')
    try {
      setConsequences(await consequencesOf(metadata, [id]))
    } catch (reason) {
      toast(messageOf(reason), { tone: 'bad' })
    }
  }

  async function remove(): Promise<void> {
    setBusy(true)
    try {
      await client.object(metadata.name).delete(id)
      toast(t('record.deleted'))
      onDeleted()
    } catch (reason) {
      setFailure(messageOf(reason))
      setBusy(false)
    }
  }

  return (
    <>
      <Button icon="trash" onClick={() => void ask()}>
        {t('record.delete')}
      </Button>
      <Confirm
        open={consequences !== undefined}
        title={t('record.deleteTitle', { title })}
        action={t('record.delete')}
        danger
        busy={isBusy}
        onClose={() => setConsequences(undefined)}
        onConfirm={() => void remove()}
      >
        <p>{t('record.deleteText')}</p>
        {consequences && consequences.length > 0 && (
          <ul>
            {consequences.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        )}
        {failure && <Notice tone="bad" title={failure} />}
      </Confirm>
    </>
  )
}
