import { Badge, Button, EmptyState, Skeleton, Table, toast, Toolbar, View, type Column } from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Problem } from '../components/problem.js'
import { Words } from '../components/words.js'
import { t as general } from '../lib/i18n.js'
import { readListAddress, writeListAddress } from '../lib/list-address.js'
import { useApiCall } from '../lib/screen.js'
import { pathToSection } from '../lib/sections.js'
import { useAsked } from '../lib/use-asked.js'
import { callOf, useRecords } from '../lib/use-records.js'
import type { SectionProps } from './admin.js'
import { allAmong } from './context.js'
import { t } from './i18n.js'
import { NewUser } from './new-user.js'
import { ShownOnce } from './shown-once.js'

/** Users with their state and groups. */
export function Users({ admin }: SectionProps) {
  const metadata = admin.of('User')
  return metadata ? <UsersOf admin={admin} metadata={metadata} /> : null
}

function UsersOf({ admin, metadata }: SectionProps & { readonly metadata: Parameters<typeof useRecords>[0] }) {
  const { url, route } = useLocation()
  const address = readListAddress(url.replace(/^[^?]*/, ''))
  const records = useRecords(metadata, address)
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<{ readonly login: string; readonly password: string }>()
  useApiCall(callOf(metadata, address))
  const { rows, count } = records
  const ids = rows.map(({ row_id: id }) => id)
  const { data: members = [] } = useAsked(ids.join(), async (signal) =>
    admin.of('Responsibility') ? allAmong('Responsibility', 'rsp_login_id', ids, signal) : [],
  )
  const sees = (name: string) => metadata.fields.some((field) => field.name === name && field.visible)
  const columns: readonly (Column<AnyRecord> | false)[] = [
    {
      id: 'usr_login',
      title: t('field.usr_login'),
      isOrdered: true,
      onCard: 'title',
      cell: ({ row_id: id, usr_login: login }) => <a href={pathToSection('users', id)}>{String(login)}</a>,
    },
    sees('usr_first_name') && {
      id: 'usr_last_name',
      title: t('users.name'),
      isOrdered: true,
      cell: fullName,
    },
    sees('usr_email') && {
      id: 'usr_email',
      title: t('field.usr_email'),
      isOrdered: true,
      wideOnly: true,
      cell: ({ usr_email: email }) => String(email),
    },
    admin.of('Responsibility') !== undefined && {
      id: 'groups',
      title: t('user.groups'),
      cell: ({ row_id: id }) =>
        members
          .filter(({ rsp_login_id: user }) => user === id)
          .map(({ rsp_group_id__grp_name: name }) => String(name))
          .join(', '),
    },
    sees('usr_active') && {
      id: 'usr_active',
      title: t('users.state'),
      isOrdered: true,
      onCard: 'corner',
      cell: ({ usr_active: isActive }) => <UserState isActive={isActive === true} />,
    },
  ]
  return (
    <View
      title={general('admin.users')}
      aside={count !== undefined && general('list.count', { count })}
      actions={
        metadata.create && (
          <Button kind="primary" icon="add" onClick={() => setNew(true)}>
            {t('users.new')}
          </Button>
        )
      }
    >
      <Toolbar>
        <Words
          value={address.words}
          label={t('users.search')}
          onSearch={(words) => route(pathToSection('users') + writeListAddress({ ...address, words }))}
        />
      </Toolbar>
      {records.failure !== undefined && <Problem failure={records.failure} onRetry={records.reload} />}
      {rows.length > 0 ? (
        <Table
          caption={general('admin.users')}
          columns={columns.filter((one) => one !== false)}
          rows={rows}
          rowKey={({ row_id: id }) => id}
          order={address.order}
          onOrder={(order) => route(pathToSection('users') + writeListAddress({ ...address, order }))}
        />
      ) : records.isLoading ? (
        <Skeleton lines={8} />
      ) : (
        records.failure === undefined && <EmptyState title={t('users.empty')} />
      )}
      {records.hasMore && (
        <div class="list-more">
          <Button busy={records.isLoading} onClick={records.more}>
            {t('button.more')}
          </Button>
        </div>
      )}
      {isNew && (
        <NewUser
          admin={admin}
          onClose={() => setNew(false)}
          onCreated={(login, password) => {
            setNew(false)
            records.reload()
            if (password === '') toast(t('user.created', { login }))
            else setMade({ login, password })
          }}
        />
      )}
      {made && (
        <ShownOnce
          title={t('user.created', { login: made.login })}
          text={t('user.shownOnce')}
          secret={made.password}
          onClose={() => setMade(undefined)}
        />
      )}
    </View>
  )
}

export function UserState({ isActive }: { readonly isActive: boolean }) {
  return <Badge tone={isActive ? 'good' : 'neutral'}>{t(isActive ? 'users.active' : 'users.off')}</Badge>
}

export function fullName({ usr_first_name: first = '', usr_last_name: last = '' }: AnyRecord): string {
  return [first, last].filter((name) => name !== '').join(' ')
}
