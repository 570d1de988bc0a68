import type { FieldMetadata } from '@steward/rest-core'
import { Button, toast } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { messageOf } from '../components/problem.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import { Control } from '../record/control.js'
import { t } from './i18n.js'

interface Choice {
  readonly id: string
  readonly name: string
}

export interface MembersProps {
  readonly title: string
  readonly none: string
  /** What the choice of another one says. */
  readonly add: string
  /** By the id of the `Responsibility`. */
  readonly members: readonly (Choice & { readonly href: string; readonly mayRemove: boolean })[]
  readonly mayAdd: boolean
  /** What can be added. Default: any record that the field can refer to. */
  readonly offered?: (signal: AbortSignal) => Promise<readonly Choice[]>
  /** Metadata of the reference that is set. */
  readonly field: FieldMetadata | undefined
  readonly onAdd: (id: string) => Promise<unknown>
  readonly onChanged: () => void
}

/** Groups of a user, or users of a group, which can be added and removed. */
export function Members({ title, none, add, members, mayAdd, offered, field, onAdd, onChanged }: MembersProps) {
  const [busy, setBusy] = useState('')
  const [chosen, choose] = useState('')
  const { data: choices = [] } = useAsked(members.map(({ id }) => id).join(), async (signal) =>
    mayAdd && offered ? offered(signal) : [],
  )

  async function change(id: string, work: () => Promise<unknown>): Promise<void> {
    setBusy(id)
    try {
      await work()
      choose('')
      onChanged()
    } catch (reason) {
      toast(messageOf(reason), { tone: 'bad' })
    } finally {
      setBusy('')
    }
  }

  return (
    <section class="panel admin-section" aria-label={title}>
      <h2>{title}</h2>
      {members.length === 0 && <p class="quiet">{none}</p>}
      <ul class="admin-members">
        {members.map(({ id, name, href, mayRemove }) => (
          <li key={id}>
            <a href={href}>{name}</a>
            {mayRemove && (
              <Button
                small
                kind="quiet"
                icon="close"
                label={t('button.remove', { name })}
                busy={busy === id}
                onClick={() => void change(id, () => client.object('Responsibility').delete(id))}
              />
            )}
          </li>
        ))}
      </ul>
      {mayAdd && (offered ? choices.length > 0 : field !== undefined) && (
        <form
          class="admin-add"
          onSubmit={(event) => {
            event.preventDefault()
            if (chosen !== '' && busy === '') void change('add', () => onAdd(chosen))
          }}
        >
          {offered ? (
            <label class="field">
              <span>{add}</span>
              <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
                <option value="">–</option>
                {choices.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          ) : (
            <Control
              key={members.length}
              field={{ ...(field as FieldMetadata), required: false, help: '' }}
              label={add}
              value={chosen}
              onChange={(id) => choose(String(id))}
            />
          )}
          <Button type="submit" icon="add" busy={busy === 'add'} disabled={chosen === ''}>
            {t('button.add')}
          </Button>
        </form>
      )}
    </section>
  )
}
