import { Button, toast } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { ConfirmChange } from '../components/confirm-change.js'
import { metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import type { Admin } from './context.js'
import { grantSentence, type Grant, type GrantedObject } from './grant-sentence.js'
import { t, wording } from './i18n.js'

export interface GrantsProps {
  readonly admin: Admin
  readonly grants: readonly Grant[]
  readonly none: string
  /** Absent: they cannot be changed here. */
  readonly onEdit?: ((grant: Grant) => void) | undefined
  readonly onChanged?: () => void
}

/** Grants, each as a sentence. */
export function Grants({ admin, grants, none, onEdit, onChanged }: GrantsProps) {
  const [leaving, setLeaving] = useState<Grant>()
  const names = [...new Set(grants.map(({ grt_object: name }) => name))]
  const { data: objects } = useAsked(names.join(), () => readObjects(admin, names))

  async function remove({ row_id: id }: Grant): Promise<void> {
    await client.object('Grant').delete(id)
    toast(t('deleted'))
    setLeaving(undefined)
    onChanged?.()
  }

  if (grants.length === 0) return <p class="quiet">{none}</p>
  const sentence = (grant: Grant) => grantSentence(grant, objects?.get(grant.grt_object), wording)
  return (
    <>
      <ul class="admin-grants">
        {objects &&
          grants.map((grant) => (
            <li key={grant.row_id}>
              <p>{sentence(grant)}</p>
              {onEdit && admin.of('Grant')?.update && (
                <Button small onClick={() => onEdit(grant)}>
                  {t('button.edit')}
                </Button>
              )}
              {onEdit && admin.of('Grant')?.del && (
                <Button small kind="quiet" icon="trash" label={t('button.delete')} onClick={() => setLeaving(grant)} />
              )}
            </li>
          ))}
      </ul>
      {leaving && (
        <ConfirmChange
          title={t('delete.title', { name: t('group.grants') })}
          action={t('button.delete')}
          danger
          onClose={() => setLeaving(undefined)}
          onConfirm={() => remove(leaving)}
        >
          <p>{sentence(leaving)}</p>
        </ConfirmChange>
      )}
    </>
  )
}

/** What is known of granted objects; of those that the user does not see, nothing. */
async function readObjects(admin: Admin, names: readonly string[]): Promise<ReadonlyMap<string, GrantedObject>> {
  const seen = names.filter((name) => admin.objects.some((one) => one.name === name))
  return new Map(await Promise.all(seen.map(async (name) => [name, await metadataOf(name, 'list')] as const)))
}
