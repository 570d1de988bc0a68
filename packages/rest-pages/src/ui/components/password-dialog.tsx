import { toast } from '@steward/page-kit'
import { t } from '../lib/i18n.js'
import { changePassword, useSession } from '../lib/session.js'
import { DialogForm, useSaving } from './dialog-form.js'

const fields = [
  { name: 'password', label: 'password.old', autocomplete: 'current-password' },
  { name: 'newPassword', label: 'password.new', autocomplete: 'new-password' },
] as const

/** The user's own password. */
export function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const session = useSession()
  const saving = useSaving(fields.map(({ name }) => name))
  const { errors } = saving

  async function change(given: FormData): Promise<void> {
    await changePassword(String(given.get('password')), String(given.get('newPassword')))
    toast(t('password.changed'))
    onClose()
  }

  return (
    <DialogForm
      title={t('password.title')}
      action={t('password.change')}
      saving={saving}
      validated
      onClose={onClose}
      onSave={change}
    >
      {/* For password managers. */}
      <input
        class="hidden"
        tabIndex={-1}
        aria-hidden="true"
        readOnly
        autocomplete="username"
        value={session.kind === 'in' ? session.login : ''}
      />
      {fields.map(({ name, label, autocomplete }, at) => (
        <label key={name} class="field">
          <span>{t(label)}</span>
          <input
            type="password"
            name={name}
            required={at > 0}
            autofocus={at === 0}
            autocomplete={autocomplete}
            aria-invalid={name in errors}
            aria-describedby={name in errors ? `password-error-${name}` : undefined}
          />
          {name in errors && (
            <span class="field-error" id={`password-error-${name}`}>
              {errors[name]}
            </span>
          )}
        </label>
      ))}
      <p class="quiet">{t('password.text')}</p>
    </DialogForm>
  )
}
