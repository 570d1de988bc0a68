import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Dialog } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { isReference, labelOf } from '../lib/service.js'
import { textOf } from '../lib/value-text.js'
import { toValue, type Values } from './draft.js'
import { LinkedRecord } from './linked.js'

export interface ConflictProps {
  readonly metadata: ObjectMetadata
  /** Those that both have changed. */
  readonly fields: readonly FieldMetadata[]
  readonly mine: Values
  readonly theirs: Values
  readonly onClose: () => void
  /** @param kept names of the fields whose own value is kept */
  readonly onDecide: (kept: ReadonlySet<string>) => void
}

/** Another user has saved the record meanwhile: which value is kept, field by field? */
export function Conflict({ metadata, fields, mine, theirs, onClose, onDecide }: ConflictProps) {
  const [kept, keep] = useState<ReadonlySet<string>>(new Set(fields.map(({ name }) => name)))
  const put = (name: string, isMine: boolean) =>
    keep(new Set([...kept].filter((one) => one !== name).concat(isMine ? name : [])))
  return (
    <Dialog
      title={t('conflict.title')}
      size="wide"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('record.keepEditing')}</Button>
          <Button kind="primary" onClick={() => onDecide(kept)}>
            {t('record.save')}
          </Button>
        </>
      }
    >
      <p>{t(fields.length === 0 ? 'conflict.none' : 'conflict.text')}</p>
      {fields.map((field) => (
        <fieldset key={field.name} class="conflict">
          <legend>{labelOf(field, metadata)}</legend>
          {([true, false] as const).map((isMine) => (
            <label key={String(isMine)} class="field field-check">
              <input
                type="radio"
                name={field.name}
                checked={kept.has(field.name) === isMine}
                onChange={() => put(field.name, isMine)}
              />
              <span>
                <strong>{t(isMine ? 'conflict.mine' : 'conflict.theirs')}</strong>{' '}
                <Side field={field} draft={(isMine ? mine : theirs)[field.name]} />
              </span>
            </label>
          ))}
        </fieldset>
      ))}
    </Dialog>
  )
}

function Side({ field, draft }: { readonly field: FieldMetadata; readonly draft: unknown }) {
  if (isReference(field) && draft !== '')
    return <LinkedRecord object={field.refObject as string} id={String(draft)} link={false} />
  return <>{textOf(field, toValue(field, draft)) || '–'}</>
}
