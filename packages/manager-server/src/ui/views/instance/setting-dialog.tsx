import { useId, useState } from 'preact/hooks'
import type { WireSetting } from '@steward/manager-core'
import { isSecretName } from '@steward/manager-core/secret-names'
import { Button, Dialog, Notice } from '@steward/page-kit'
import { Facts } from '../../components/panel.js'
import { api, type ApiFailure } from '../../lib/api.js'
import { dataChanged } from '../../lib/changes.js'
import { t } from '../../lib/i18n.js'
import type { SettingsAnswer } from './settings-of.js'

export interface SettingDialogProps {
  readonly instance: string
  /** Absent: a new variable of the application. */
  readonly setting: WireSetting | undefined
  /** What the shown settings were answered with. */
  readonly fingerprint: string
  readonly onClose: () => void
  /** @param message what was done */
  readonly onSaved: (setting: WireSetting, message: string) => void
}

/**
 * Changes a setting of an instance, or has its default apply. What is wrong is said at the field; when the settings were
 * changed meanwhile, the user sees the value of now and decides again.
 */
export function SettingDialog({ instance, setting: shown, fingerprint, onClose, onSaved }: SettingDialogProps) {
  const id = useId()
  // What the user decides by stays as it was read, whatever the page reads meanwhile.
  const [read, setRead] = useState({ setting: shown, fingerprint })
  const { setting } = read
  const [name, setName] = useState('')
  const isSecret = setting?.secret ?? isSecretName(name)
  const [value, setValue] = useState((!isSecret && setting?.value) || '')
  const [wrong, setWrong] = useState('')
  const [isConflict, setConflict] = useState(false)
  const [busy, setBusy] = useState<'set' | 'unset'>()
  const variable = setting?.name ?? name.trim()

  async function save(what: 'set' | 'unset'): Promise<void> {
    setBusy(what)
    setWrong('')
    setConflict(false)
    try {
      const asked = { name: instance, variable, fingerprint: read.fingerprint }
      const { message, item } = await api<{ readonly item: WireSetting }>(
        `setting-${what}`,
        asked,
        what === 'set' ? { hidden: { value } } : {},
      )
      dataChanged()
      onSaved(item, message)
    } catch (reason) {
      const failure = reason as ApiFailure
      if (failure.code === 'ERR_STATE') await readAgain().catch(() => say(failure))
      else say(failure)
      setBusy(undefined)
    }
  }

  function say({ message, help }: ApiFailure): void {
    setWrong([message, help].filter(Boolean).join(' '))
  }

  async function readAgain(): Promise<void> {
    const now = await api<SettingsAnswer>('setting-list', { name: instance, all: true })
    setRead({ setting: now.list.find((one) => one.name === variable) ?? setting, fingerprint: now.fingerprint })
    setConflict(true)
  }

  const help = `${id}-about`
  const field = {
    id,
    value,
    autofocus: setting !== undefined,
    'aria-invalid': wrong !== '',
    'aria-describedby': help,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      setValue(currentTarget.value)
      setWrong('')
    },
  }
  return (
    <Dialog
      title={setting?.name ?? t('settings.add')}
      onClose={onClose}
      locked={busy !== undefined}
      footer={
        <>
          {setting && setting.value !== null && !setting.required && (
            <Button kind="quiet" busy={busy === 'unset'} onClick={() => void save('unset')}>
              {t(setting.default === null ? 'settings.remove' : 'settings.useDefault')}
            </Button>
          )}
          <Button onClick={onClose} disabled={busy !== undefined}>
            {t('button.cancel')}
          </Button>
          <Button
            kind="primary"
            type="submit"
            form={`${id}-form`}
            busy={busy === 'set'}
            disabled={value === '' || variable === ''}
          >
            {t('button.save')}
          </Button>
        </>
      }
    >
      <form
        id={`${id}-form`}
        class="action-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (busy === undefined) void save('set')
        }}
      >
        {isConflict && (
          <Notice tone="warn" title={t('settings.conflict')}>
            <p>{t('settings.conflictText')}</p>
          </Notice>
        )}
        {setting && <p lang="en">{setting.summary}</p>}
        {setting && (
          <Facts
            facts={[
              [t('settings.now'), setting.value === null ? t('settings.notSet') : <code>{setting.value}</code>],
              [t('settings.defaultValue'), setting.default === null ? undefined : <code>{setting.default}</code>],
            ]}
          />
        )}
        {!setting && (
          <div class="field">
            <label for={`${id}-name`}>{t('field.variable')}</label>
            <input
              id={`${id}-name`}
              value={name}
              autofocus
              spellcheck={false}
              autocomplete="off"
              onInput={({ currentTarget }) => {
                setName(currentTarget.value)
                setWrong('')
              }}
            />
          </div>
        )}
        <div class="field">
          <label for={id}>{t(isSecret ? 'settings.newSecret' : 'field.value')}</label>
          <ValueField setting={setting} isSecret={isSecret} field={field} />
          <p class={wrong === '' ? 'field-about' : 'field-wrong'} id={help} role={wrong === '' ? undefined : 'alert'}>
            {wrong === '' ? (
              t(setting?.effect === 'now' ? 'settings.fromNow' : 'settings.fromStart')
            ) : (
              <span lang="en">{wrong}</span>
            )}
          </p>
        </div>
      </form>
    </Dialog>
  )
}

interface ValueFieldProps {
  readonly setting: WireSetting | undefined
  readonly isSecret: boolean
  readonly field: object
}

/** By the type of the variable. The server checks the value, so that what is wrong is said in one way. */
function ValueField({ setting, isSecret, field }: ValueFieldProps) {
  if (isSecret) return <input {...field} type="password" autocomplete="new-password" />
  const choices =
    setting?.type === 'true-false' ? ['true', 'false'] : setting?.type === 'yes-no' ? ['yes', 'no'] : setting?.choices
  if (choices)
    return (
      <select {...field}>
        <option value="">–</option>
        {choices.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )
  const isNumber = setting?.type === 'integer' || setting?.type === 'limit'
  return <input {...field} inputMode={isNumber ? 'numeric' : undefined} spellcheck={false} autocomplete="off" />
}
