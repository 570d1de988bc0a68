import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { WireBackup, WireVersion } from '@steward/manager-core'
import { formatDateTime } from '@steward/page-kit'
import { t } from '../../lib/i18n.js'
import type { Instance } from '../../lib/instance.js'
import { useApi } from '../../lib/use-api.js'

interface FieldProps<Value = string> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** The name of the instance that is made; that it is taken is said while it is typed. */
export function NameField({ value, isTaken, onChange }: FieldProps & { readonly isTaken: (name: string) => boolean }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const problem = isTaken(value) ? t('create.taken', { name: value }) : ''
  useLayoutEffect(() => field.current?.setCustomValidity(problem), [problem])
  return (
    <div class="field">
      <label for={id}>{t('create.name')}</label>
      <input
        ref={field}
        id={id}
        name="name"
        autofocus
        required
        value={value}
        pattern="[A-Za-z0-9]{3,20}"
        maxLength={20}
        autocomplete="off"
        spellcheck={false}
        title={t('form.newName')}
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-about`}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p class={problem === '' ? 'field-about' : 'field-problem'} id={`${id}-about`} role="status">
        {problem || t('form.newName')}
      </p>
    </div>
  )
}

/** The version that it is created from; where there is only one, there is nothing to choose. */
export function VersionField({ value, onChange }: FieldProps) {
  const { data } = useApi<{ list: readonly WireVersion[] }>('versions')
  if (!data || data.list.length < 2) return null
  const usual = data.list.find((one) => one.default)?.version ?? ''
  return (
    <label class="field">
      <span>{t('column.version')}</span>
      <select name="version" value={value || usual} onChange={(event) => onChange(event.currentTarget.value)}>
        {data.list.map(({ version, title }) => {
          const text = title === '' ? version : `${version} · ${title}`
          return (
            <option key={version} value={version}>
              {version === usual ? t('create.isDefault', { value: text }) : text}
            </option>
          )
        })}
      </select>
    </label>
  )
}

/** The instance that it is a copy of. */
export function InstanceField({
  instances,
  value,
  onChange,
}: FieldProps & { readonly instances: readonly Instance[] }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{t('create.cloned')}</label>
      <input
        id={id}
        name="instance"
        required
        list={`${id}-names`}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={`${id}-names`}>
        {instances.map(({ id: key, name, version }) => (
          <option key={key} value={name}>
            {version}
          </option>
        ))}
      </datalist>
    </div>
  )
}

/** The backup that it is made from, also one of an instance that is gone. */
export function BackupField({ value, onChange }: FieldProps<WireBackup | undefined>) {
  const { data } = useApi<{ list: readonly WireBackup[] }>('backups-list')
  const list = data?.list.filter(({ damage }) => damage === '') ?? []
  const keyOf = ({ instance, backup }: WireBackup) => `${instance}/${backup}`
  return (
    <label class="field">
      <span>{t('field.backup')}</span>
      <select
        name="backup"
        required
        value={value ? keyOf(value) : ''}
        onChange={({ currentTarget }) => onChange(list.find((one) => keyOf(one) === currentTarget.value))}
      >
        <option value="" disabled>
          {data && list.length === 0 ? t('backup.none') : t('form.choose')}
        </option>
        {list.map((one) => (
          <option key={keyOf(one)} value={keyOf(one)}>
            {`${one.name} · ${formatDateTime(one.saved)} · ${one.version}`}
          </option>
        ))}
      </select>
    </label>
  )
}
