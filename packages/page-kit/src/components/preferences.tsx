import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { choose, language, languageNames, languages, type Language } from '../lib/language.js'
import { productName } from '../lib/product.js'
import { chooseTheme, theme, themes, type Theme } from '../lib/theme.js'
import { Button } from './button.js'

/** Version of the package that serves the pages; its build defines it. */
declare const PACKAGE_VERSION: string

/** Who uses the pages, with language and theme, which are kept in this browser, and the version of the pages. */
export function Preferences({
  actor,
  about,
  children,
}: {
  readonly actor: string | undefined
  /** What the user may do. */
  readonly about?: string | undefined
  /** More that concerns the user, below. */
  readonly children?: ComponentChildren
}) {
  const [chosen, setChosen] = useState(theme)
  return (
    <>
      <Button
        class="preferences-button"
        kind="quiet"
        icon={actor === undefined ? 'settings' : 'user'}
        label={t(actor === undefined ? 'shell.preferences' : 'shell.account')}
        popovertarget="preferences"
      />
      <div class="preferences panel" id="preferences" popover="auto">
        {actor !== undefined && (
          <div class="account">
            <strong>{t('shell.actor', { actor })}</strong>
            {about !== undefined && <p class="quiet">{about}</p>}
          </div>
        )}
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
        {children}
        <p class="quiet">{`${productName} ${PACKAGE_VERSION}`}</p>
      </div>
    </>
  )
}
