import { Button, EmptyState, Skeleton, Table, View, type Column } from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Problem } from '../components/problem.js'
import { t as general } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { pathToSection } from '../lib/sections.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import type { SectionProps } from './admin.js'
import { allOf } from './context.js'
import { FormDialog } from './form-dialog.js'
import { t } from './i18n.js'

/** Groups with the numbers of their members and grants. */
export function Groups({ admin }: SectionProps) {
  const { route } = useLocation()
  const [isNew, setNew] = useState(false)
  const { data, failure, reload } = useAsked('groups', async (signal) => {
    const seen = (object: string) => (admin.of(object) ? allOf(object, {}, signal) : [])
    const [groups, members, grants] = await Promise.all([
      allOf('Group', {}, signal),
      seen('Responsibility'),
      seen('Grant'),
    ])
    return { groups, members, grants }
  })
  useApiCall({ object: 'Group', method: 'page', args: [{}] })
  const metadata = admin.of('Group')
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data || !metadata) return <Skeleton lines={8} />
  const count = (records: readonly AnyRecord[], field: string, id: string) =>
    records.filter((one) => one[field] === id).length
  const columns: readonly (Column<AnyRecord> | false)[] = [
    {
      id: 'grp_name',
      title: t('field.grp_name'),
      onCard: 'title',
      cell: ({ row_id: id, grp_name: name }) => <a href={pathToSection('groups', id)}>{String(name)}</a>,
    },
    { id: 'grp_desc', title: t('field.grp_desc'), cell: ({ grp_desc: text = '' }) => String(text) },
    admin.of('Responsibility') !== undefined && {
      id: 'members',
      title: t('group.members'),
      align: 'end',
      cell: ({ row_id: id }) => count(data.members, 'rsp_group_id', id),
    },
    admin.of('Grant') !== undefined && {
      id: 'grants',
      title: t('group.grants'),
      align: 'end',
      cell: ({ row_id: id }) => count(data.grants, 'grt_group_id', id),
    },
  ]
  return (
    <View
      title={general('admin.groups')}
      aside={general('list.count', { count: data.groups.length })}
      actions={
        metadata.create && (
          <Button kind="primary" icon="add" onClick={() => setNew(true)}>
            {t('groups.new')}
          </Button>
        )
      }
    >
      {data.groups.length > 0 ? (
        <Table
          caption={general('admin.groups')}
          columns={columns.filter((one) => one !== false)}
          rows={data.groups}
          rowKey={({ row_id: id }) => id}
        />
      ) : (
        <EmptyState title={t('groups.empty')} />
      )}
      {isNew && (
        <FormDialog
          title={t('groups.new')}
          action={t('button.create')}
          object="Group"
          names={['grp_name', 'grp_desc']}
          onClose={() => setNew(false)}
          onSave={async (values) => {
            const made = await client.object('Group').create(values)
            route(pathToSection('groups', made['row_id']))
          }}
        />
      )}
    </View>
  )
}
