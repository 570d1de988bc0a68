import type { LinkMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Confirm, Notice, toast } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { messageOf } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { metadataOf } from '../lib/service.js'
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
    const found = await Promise.all(metadata.links.map((link) => consequenceOf(link, id))).catch((reason: unknown) => {
      toast(messageOf(reason), { tone: 'bad' })
    })
    if (found) setConsequences(found.filter((one) => one !== ''))
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

const texts = { cascade: 'record.takesAlong', setNull: 'record.empties', refuse: 'record.prevents' } as const

/** Empty: no record that the user may read refers to it. */
async function consequenceOf({ object, field, onDelete }: LinkMetadata, id: string): Promise<string> {
  const { count } = await client.object(object).count({ [field]: id })
  if (count === 0) return ''
  const { label, plurallabel } = await metadataOf(object, 'list')
  return t(texts[onDelete], { count, object: plurallabel || label || object })
}
