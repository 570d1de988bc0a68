import { Button, Skeleton, Table, toast, View, type Column } from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { messageOf, Problem } from '../components/problem.js'
import { t as general } from '../lib/i18n.js'
import { useApiCall } from '../lib/screen.js'
import { client } from '../lib/session.js'
import { useAsked } from '../lib/use-asked.js'
import type { SectionProps } from './admin.js'
import { allOf } from './context.js'
import { FormDialog } from './form-dialog.js'
import { hasText, t } from './i18n.js'
import { kindOfType, knownParameters, type KnownParameter } from './known-parameters.js'
import { ParameterDialog } from './parameter-dialog.js'

/** A parameter that is set, or that the server knows. */
export interface Parameter {
  readonly code: string
  /** Absent: not set. */
  readonly record: AnyRecord | undefined
  /** Absent: one of the application. */
  readonly known: KnownParameter | undefined
}

/** Parameters with their values and defaults. */
export function Parameters({ admin }: SectionProps) {
  const [open, setOpen] = useState<Parameter | 'new'>()
  const [busy, setBusy] = useState('')
  const { data, failure, reload } = useAsked('parameters', (signal) => allOf('SystemParam', {}, signal))
  useApiCall({ object: 'SystemParam', method: 'page', args: [{}] })
  const metadata = admin.of('SystemParam')
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data || !metadata) return <Skeleton lines={8} />
  const close = () => setOpen(undefined)
  const saved = () => {
    toast(t('saved'))
    close()
    reload()
  }

  async function reset({ code, record }: Parameter): Promise<void> {
    setBusy(code)
    try {
      await client.object('SystemParam').delete(String(record?.['row_id']))
      toast(t('saved'))
      reload()
    } catch (reason) {
      toast(messageOf(reason), { tone: 'bad' })
    } finally {
      setBusy('')
    }
  }

  const columns: readonly Column<Parameter>[] = [
    {
      id: 'code',
      title: t('parameter.code'),
      onCard: 'title',
      cell: ({ code }) => <span class="admin-long">{code}</span>,
    },
    { id: 'value', title: t('parameter.value'), cell: (one) => <ParameterValue {...one} /> },
    { id: 'description', title: t('parameter.description'), cell: descriptionOf },
    {
      id: 'change',
      title: t('actions'),
      align: 'end',
      cell: (one) =>
        one.known?.isFixed !== true && (
          <span class="admin-buttons">
            {(one.record ? metadata.update : metadata.create) && (
              <Button small label={`${t('parameter.set')}: ${one.code}`} onClick={() => setOpen(one)}>
                {t('parameter.set')}
              </Button>
            )}
            {one.record && metadata.del && (
              <Button small kind="quiet" busy={busy === one.code} onClick={() => void reset(one)}>
                {t(one.known ? 'parameter.reset' : 'button.delete')}
              </Button>
            )}
          </span>
        ),
    },
  ]
  return (
    <View
      title={general('admin.parameters')}
      actions={
        metadata.create && (
          <Button kind="primary" icon="add" onClick={() => setOpen('new')}>
            {t('parameters.new')}
          </Button>
        )
      }
    >
      <Table caption={general('admin.parameters')} columns={columns} rows={rowsOf(data)} rowKey={({ code }) => code} />
      {open === 'new' && (
        <FormDialog
          title={t('parameters.new')}
          action={t('button.create')}
          object="SystemParam"
          names={['sys_code', 'sys_value', 'sys_desc']}
          onClose={close}
          onSave={async (values) => {
            await client.object('SystemParam').create(values)
            saved()
          }}
        />
      )}
      {open !== undefined && open !== 'new' && <ParameterDialog parameter={open} onClose={close} onSaved={saved} />}
    </View>
  )
}

function rowsOf(records: readonly AnyRecord[]): readonly Parameter[] {
  const own = records.filter((one) => !knownParameters.some(({ code }) => code === one['sys_code']))
  return [
    ...knownParameters.map((known) => ({
      code: known.code,
      known,
      record: records.find((one) => one['sys_code'] === known.code),
    })),
    ...own.map((record) => ({ code: String(record['sys_code']), record, known: undefined })),
  ]
}

function ParameterValue({ record, known }: Parameter) {
  const value = String(record?.['sys_value'] ?? '')
  const kind = known?.kind ?? kindOfType(String(record?.['sys_type'] ?? ''))
  if (value !== '') return <span class="admin-long">{shown(value, kind)}</span>
  if (!known || known.standard === '') return <span class="quiet">{t('parameter.notSet')}</span>
  return <span class="quiet">{t('parameter.default', { value: shown(known.standard, kind) })}</span>
}

export function shown(value: string, kind: KnownParameter['kind']): string {
  if (kind !== 'yesNo') return value
  return /^(?:yes|true|1)$/i.test(value) ? t('yes') : /^(?:no|false|0)$/i.test(value) ? t('no') : value
}

export function descriptionOf({ code, record, known }: Parameter): string {
  const key = `parameter.${code}`
  const own = String(record?.['sys_desc'] ?? '')
  return known && hasText(key) ? t(key) : own
}
