import { Button, Skeleton, toast, View } from '@steward/page-kit'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { ConfirmChange } from '../components/confirm-change.js'
import { Problem } from '../components/problem.js'
import { t as general } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { administrators, pathToSection } from '../lib/sections.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import type { OneProps } from './admin.js'
import { allWith } from './context.js'
import { FormDialog } from './form-dialog.js'
import { GrantDialog } from './grant-dialog.js'
import type { Grant } from './grant-sentence.js'
import { Grants } from './grants.js'
import { t } from './i18n.js'
import { Members } from './members.js'

/** A group: its members, and what it may do. */
export function Group({ admin, id }: OneProps) {
  const { route } = useLocation()
  const [open, setOpen] = useState<'edit' | 'delete' | 'grant'>()
  const [grant, setGrant] = useState<Grant>()
  const { data, failure, reload } = useAsked(id, async (signal) => {
    const [group, members, grants] = await Promise.all([
      client.object('Group').get(id, { signal }),
      admin.of('Responsibility') ? allWith('Responsibility', 'rsp_group_id', id, signal) : [],
      admin.of('Grant') ? allWith('Grant', 'grt_group_id', id, signal) : undefined,
    ])
    return { group, members, grants: grants as readonly Grant[] | undefined }
  })
  useApiCall({ object: 'Group', method: 'get', args: [id] })
  const metadata = admin.of('Group')
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data || !metadata) return <Skeleton />
  const { group, members, grants } = data
  const name = String(group['grp_name'])
  const mayChange = admin.mayChange([name])
  const membership = admin.of('Responsibility')
  const close = () => {
    setOpen(undefined)
    setGrant(undefined)
  }

  async function remove(): Promise<void> {
    await client.object('Group').delete(id)
    toast(t('deleted'))
    route(pathToSection('groups'), true)
  }

  return (
    <View
      title={name}
      above={<a href={pathToSection('groups')}>{general('admin.groups')}</a>}
      actions={
        <>
          {metadata.update && mayChange && <Button onClick={() => setOpen('edit')}>{t('button.edit')}</Button>}
          {metadata.del && mayChange && name !== administrators && (
            <Button icon="trash" onClick={() => setOpen('delete')}>
              {t('button.delete')}
            </Button>
          )}
        </>
      }
    >
      {group['grp_desc'] && <p>{String(group['grp_desc'])}</p>}
      {membership && (
        <Members
          title={t('group.members')}
          none={t('group.noMembers')}
          add={t('group.addMember')}
          members={members.map((one) => ({
            id: one['row_id'],
            name: String(one['rsp_login_id__usr_login']),
            href: pathToSection('users', String(one['rsp_login_id'])),
            mayRemove: membership.del && mayChange,
          }))}
          mayAdd={membership.create && admin.mayFill(name) && admin.of('User') !== undefined}
          field={membership.fields.find((one) => one.name === 'rsp_login_id')}
          onAdd={(user) => client.object('Responsibility').create({ rsp_login_id: user, rsp_group_id: id })}
          onChanged={reload}
        />
      )}
      {grants && (
        <section class="panel admin-section" aria-label={t('group.grants')}>
          <div class="admin-section-head">
            <h2>{t('group.grants')}</h2>
            {admin.of('Grant')?.create && name !== administrators && (
              <Button icon="add" onClick={() => setOpen('grant')}>
                {t('group.newGrant')}
              </Button>
            )}
          </div>
          {name === administrators ? (
            <p>{t('admin.everything', { group: name })}</p>
          ) : (
            <Grants
              admin={admin}
              grants={grants}
              none={t('group.noGrants')}
              onEdit={(one) => {
                setGrant(one)
                setOpen('grant')
              }}
              onChanged={reload}
            />
          )}
        </section>
      )}
      {open === 'edit' && (
        <FormDialog
          title={name}
          action={t('button.save')}
          object="Group"
          names={name === administrators ? ['grp_desc'] : ['grp_name', 'grp_desc']}
          record={group}
          onClose={close}
          onSave={async (values) => {
            await client.object('Group').update(id, values)
            toast(t('saved'))
            close()
            reload()
          }}
        />
      )}
      {open === 'grant' && (
        <GrantDialog
          admin={admin}
          group={{ id, name }}
          grant={grant}
          onClose={close}
          onSaved={() => {
            toast(t('saved'))
            close()
            reload()
          }}
        />
      )}
      {open === 'delete' && (
        <ConfirmChange
          title={t('delete.title', { name })}
          action={t('button.delete')}
          danger
          onClose={close}
          onConfirm={remove}
        >
          <p>{t('group.deleteText')}</p>
        </ConfirmChange>
      )}
    </View>
  )
}
