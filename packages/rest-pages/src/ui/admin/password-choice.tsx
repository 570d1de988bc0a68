import { t } from './i18n.js'

export interface ChosenPassword {
  readonly isGenerated: boolean
  readonly typed: string
}

export interface PasswordChoiceProps {
  readonly value: ChosenPassword
  readonly onChange: (value: ChosenPassword) => void
  readonly error: string | undefined
}

/** A password that is generated, or typed. */
export function PasswordChoice({ value, onChange, error }: PasswordChoiceProps) {
  return (
    <fieldset class="admin-choices">
      <legend>{t('user.password')}</legend>
      {([true, false] as const).map((isGenerated) => (
        <label key={String(isGenerated)} class="field field-check">
          <input
            type="radio"
            name="how"
            checked={value.isGenerated === isGenerated}
            onChange={() => onChange({ ...value, isGenerated })}
          />
          <span>{t(isGenerated ? 'user.generate' : 'user.type')}</span>
        </label>
      ))}
      {!value.isGenerated && (
        <label class="field">
          <span class="hidden">{t('user.password')}</span>
          <input
            type="password"
            autocomplete="new-password"
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : 'password-error'}
            value={value.typed}
            onInput={(event) => onChange({ ...value, typed: event.currentTarget.value })}
          />
        </label>
      )}
      {error !== undefined && (
        <span class="field-error" id="password-error">
          {error}
        </span>
      )}
    </fieldset>
  )
}
