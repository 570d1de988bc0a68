import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { choose, language, languageNames, languages, type Language } from '../lib/language.js'
import { chooseTheme, theme, themes, type Theme } from '../lib/theme.js'
import { Button } from './button.js'

/** Language and theme, kept in this browser, and who uses the pages. */
export function Preferences({
  actor,
  children,
}: {
  readonly actor: string | undefined
  /** More that concerns the user, below. */
  readonly children?: ComponentChildren
}) {
  const [chosen, setChosen] = useState(theme)
  return (
    <>
      <Button
        class="preferences-button"
        kind="quiet"
        icon="settings"
        label={t('shell.preferences')}
        popovertarget="preferences"
      />
      <div class="preferences panel" id="preferences" popover="auto">
        <label class="field">
          <span>{t('shell.language')}</span>
          <select value={language} onChange={(event) => choose(event.currentTarget.value as Language)}>
            {languages.map((one) => (
              <option key={one} value={one} lang={one}>
                {languageNames[one]}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{t('shell.theme')}</span>
          <select
            value={chosen}
            onChange={(event) => {
              const one = event.currentTarget.value as Theme
              chooseTheme(one)
              setChosen(one)
            }}
          >
            {themes.map((one) => (
              <option key={one} value={one}>
                {t(`theme.${one}`)}
              </option>
            ))}
          </select>
        </label>
        {actor !== undefined && <p class="quiet">{t('shell.actor', { actor })}</p>}
        {children}
      </div>
    </>
  )
}
