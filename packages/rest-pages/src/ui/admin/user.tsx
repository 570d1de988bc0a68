import { Button, Skeleton, toast, View } from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { ConfirmChange } from '../components/confirm-change.js'
import { messageOf, Problem } from '../components/problem.js'
import { t as general } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { administrators, pathToSection } from '../lib/sections.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { viewAs } from '../lib/view-as.js'
import type { OneProps } from './admin.js'
import { allAmong, allOf, allWith, type Admin } from './context.js'
import { FormDialog } from './form-dialog.js'
import type { Grant } from './grant-sentence.js'
import { Grants } from './grants.js'
import { t } from './i18n.js'
import { Members } from './members.js'
import { PasswordChoice, type ChosenPassword } from './password-choice.js'
import { randomPassword } from './secrets.js'
import { ShownOnce } from './shown-once.js'
import { fullName, UserState } from './users.js'

/** A user: state, password, groups, and what the groups allow. */
export function User({ admin, id }: OneProps) {
  const { data, failure, reload } = useAsked(id, async (signal) => {
    const [user, members] = await Promise.all([
      client.object('User').get(id, { signal }),
      admin.of('Responsibility') ? allWith('Responsibility', 'rsp_login_id', id, signal) : [],
    ])
    const ids = members.map((one) => String(one['rsp_group_id']))
    const grants = admin.of('Grant') ? await allAmong('Grant', 'grt_group_id', ids, signal) : undefined
    return { user, members, grants: grants as readonly Grant[] | undefined }
  })
  useApiCall({ object: 'User', method: 'get', args: [id] })
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  const { user, members, grants } = data
  const groups = members.map((one) => String(one['rsp_group_id__grp_name']))
  const mayChange = admin.of('User')?.update === true && admin.mayChange(groups)
  const isAdministrator = groups.includes(administrators)
  const details = [fullName(user), user['usr_email'], user['usr_lang']].filter(Boolean).join(' · ')
  return (
    <View
      title={String(user['usr_login'])}
      above={<a href={pathToSection('users')}>{general('admin.users')}</a>}
      aside={<UserState isActive={user['usr_active'] === true} />}
      actions={<UserActions admin={admin} user={user} mayChange={mayChange} onChanged={reload} />}
    >
      {details && <p class="quiet">{details}</p>}
      {admin.of('Responsibility') && (
        <Members
          title={t('user.groups')}
          none={t('user.noGroups')}
          add={t('user.addGroup')}
          members={members.map((one) => ({
            id: one['row_id'],
            name: String(one['rsp_group_id__grp_name']),
            href: pathToSection('groups', String(one['rsp_group_id'])),
            mayRemove: admin.of('Responsibility')?.del === true && admin.mayFill(String(one['rsp_group_id__grp_name'])),
          }))}
          mayAdd={admin.of('Responsibility')?.create === true && admin.of('Group') !== undefined}
          field={undefined}
          offered={async (signal) =>
            (await allOf('Group', {}, signal))
              .map((one) => ({ id: one['row_id'], name: String(one['grp_name']) }))
              .filter(({ name }) => admin.mayFill(name) && !groups.includes(name))
          }
          onAdd={(group) => client.object('Responsibility').create({ rsp_login_id: id, rsp_group_id: group })}
          onChanged={reload}
        />
      )}
      {grants && (
        <section class="panel admin-section">
          <h2>{t('user.rights')}</h2>
          {isAdministrator ? (
            <p>{t('admin.everything', { group: administrators })}</p>
          ) : (
            <Grants admin={admin} grants={grants} none={t('admin.noRights')} />
          )}
        </section>
      )}
    </View>
  )
}

interface UserActionsProps {
  readonly admin: Admin
  readonly user: AnyRecord
  readonly mayChange: boolean
  readonly onChanged: () => void
}

function UserActions({ admin, user, mayChange, onChanged }: UserActionsProps) {
  const { route } = useLocation()
  const [open, setOpen] = useState<'off' | 'password' | 'edit'>()
  const [password, setPassword] = useState<ChosenPassword>({ isGenerated: true, typed: '' })
  const [shown, setShown] = useState('')
  const [isBusy, setBusy] = useState(false)
  const metadata = admin.of('User')
  const { row_id: id, usr_active: isActive } = user
  const login = String(user['usr_login'])
  const may = (name: string) => mayChange && metadata?.fields.some((field) => field.name === name && field.visible)
  const close = () => setOpen(undefined)

  async function switchTo(active: boolean): Promise<void> {
    await client.object('User').update(id, { usr_active: active })
    toast(t(active ? 'user.isOn' : 'user.isOff', { login }))
    close()
    onChanged()
  }

  async function switchOn(): Promise<void> {
    setBusy(true)
    try {
      await switchTo(true)
    } catch (reason) {
      toast(messageOf(reason), { tone: 'bad' })
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      {admin.offersView && isActive === true && login !== admin.login && (
        <Button
          icon="search"
          onClick={() => {
            viewAs.set({ login, by: admin.login })
            route(pathTo(''))
          }}
        >
          {t('user.viewAs')}
        </Button>
      )}
      {mayChange && <Button onClick={() => setOpen('edit')}>{t('button.edit')}</Button>}
      {mayChange && <Button onClick={() => setOpen('password')}>{t('user.setPassword')}</Button>}
      {may('usr_active') && (
        <Button busy={isBusy} onClick={() => (isActive ? setOpen('off') : void switchOn())}>
          {t(isActive ? 'user.switchOff' : 'user.switchOn')}
        </Button>
      )}
      {open === 'off' && (
        <ConfirmChange
          title={t('user.switchOffTitle', { login })}
          action={t('user.switchOff')}
          danger
          onClose={close}
          onConfirm={() => switchTo(false)}
        >
          <p>{t('user.switchOffText', { login })}</p>
        </ConfirmChange>
      )}
      {open === 'edit' && (
        <FormDialog
          title={login}
          action={t('button.save')}
          object="User"
          names={['usr_first_name', 'usr_last_name', 'usr_email', 'usr_lang']}
          record={user}
          onClose={close}
          onSave={async (values) => {
            await client.object('User').update(id, values)
            toast(t('saved'))
            close()
            onChanged()
          }}
        />
      )}
      {open === 'password' && (
        <FormDialog
          title={t('user.setPassword')}
          action={t('user.setPassword')}
          object="User"
          names={[]}
          others={['usr_password']}
          record={user}
          onClose={close}
          onSave={async () => {
            const generated = password.isGenerated ? randomPassword() : ''
            await client.object('User').update(id, { usr_password: generated || password.typed })
            close()
            setPassword({ isGenerated: true, typed: '' })
            if (generated === '') toast(t('user.passwordSet', { login }))
            else setShown(generated)
          }}
          more={(errors) => (
            <>
              <p>{t('user.passwordText', { login })}</p>
              <PasswordChoice value={password} onChange={setPassword} error={errors['usr_password']} />
            </>
          )}
        />
      )}
      {shown !== '' && (
        <ShownOnce
          title={t('user.passwordSet', { login })}
          text={t('user.shownOnce')}
          secret={shown}
          onClose={() => setShown('')}
        />
      )}
    </>
  )
}
