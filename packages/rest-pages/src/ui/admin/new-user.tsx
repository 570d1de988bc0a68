import { useState } from 'preact/hooks'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import type { SectionProps } from './admin.js'
import { Choices } from './choices.js'
import { allOf } from './context.js'
import { FormDialog } from './form-dialog.js'
import { t } from './i18n.js'
import { PasswordChoice, type ChosenPassword } from './password-choice.js'
import { randomPassword } from './secrets.js'

export interface NewUserProps extends SectionProps {
  readonly onClose: () => void
  /** @param password that was generated; empty: it was typed */
  readonly onCreated: (login: string, password: string) => void
}

/** A user with a password and groups. */
export function NewUser({ admin, onClose, onCreated }: NewUserProps) {
  const [password, setPassword] = useState<ChosenPassword>({ isGenerated: true, typed: '' })
  const [groups, setGroups] = useState<readonly string[]>([])
  const mayJoin = admin.of('Responsibility')?.create === true && admin.of('Group') !== undefined
  const { data: offered = [] } = useAsked('groups', async (signal) =>
    mayJoin ? (await allOf('Group', {}, signal)).filter((one) => admin.mayFill(String(one['grp_name']))) : [],
  )
  const [created, setCreated] = useState<{ readonly id: string; readonly password: string }>()

  async function save(values: Readonly<Record<string, unknown>>): Promise<void> {
    const generated = password.isGenerated ? randomPassword() : ''
    // A second try joins the groups of the user that the first one made.
    const user = created ?? {
      password: generated,
      id: await create({ ...values, usr_password: generated || password.typed }),
    }
    setCreated(user)
    for (const group of groups)
      await client.object('Responsibility').upsert([user.id, group], { rsp_login_id: user.id, rsp_group_id: group })
    onCreated(String(values['usr_login'] ?? ''), user.password)
  }

  async function create(values: Readonly<Record<string, unknown>>): Promise<string> {
    return (await client.object('User').create(values))['row_id']
  }

  return (
    <FormDialog
      title={t('users.new')}
      action={t('button.create')}
      object="User"
      names={['usr_login', 'usr_first_name', 'usr_last_name', 'usr_email']}
      others={['usr_password']}
      onClose={onClose}
      onSave={save}
      more={(errors) => (
        <>
          <PasswordChoice value={password} onChange={setPassword} error={errors['usr_password']} />
          {offered.length > 0 && (
            <Choices
              label={t('user.groups')}
              values={offered.map((one) => [one['row_id'], String(one['grp_name'])] as const)}
              chosen={groups}
              onChange={setGroups}
            />
          )}
        </>
      )}
    />
  )
}
