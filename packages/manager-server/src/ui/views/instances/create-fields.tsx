import { useId } from 'preact/hooks'
import type { WireVersion } from '@steward/manager-core'
import { t } from '../../lib/i18n.js'
import type { Instance } from '../../lib/instance.js'
import { useApi } from '../../lib/use-api.js'

interface FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The name of the instance that is made. */
export function NameField({ required, value, onChange }: FieldProps & { readonly required: boolean }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {t('create.name')}
        {!required && <span class="field-optional"> {t('form.optional')}</span>}
      </label>
      <input
        id={id}
        name="name"
        autofocus
        required={required}
        value={value}
        pattern="[A-Za-z0-9]{3,20}"
        maxLength={20}
        autocomplete="off"
        spellcheck={false}
        title={t('form.newName')}
        aria-describedby={`${id}-about`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p class="field-about" id={`${id}-about`}>
        {t(required ? 'form.newName' : 'create.nameAbout')}
      </p>
    </div>
  )
}

/** The version that it is made of. */
export function VersionField({ value, onChange }: FieldProps) {
  const { data } = useApi<{ list: readonly WireVersion[] }>('versions')
  return (
    <label class="field">
      <span>{t('column.version')}</span>
      <select name="version" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t('create.defaultVersion')}</option>
        {data?.list.map(({ version }) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The instance that it is a clone of. */
export function CloneField({ value, onChange }: FieldProps) {
  const id = useId()
  const { data } = useApi<{ list: readonly Instance[] }>('list')
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
        {data?.list.map(({ id: key, name, version }) => (
          <option key={key} value={name}>
            {version}
          </option>
        ))}
      </datalist>
    </div>
  )
}
