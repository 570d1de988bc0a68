import type { ComponentChildren } from 'preact'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'

/** What is around every view. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <header>
        <nav>
          <a href={pathTo('')}>{t('nav.instances')}</a> <a href={pathTo('monitor')}>{t('nav.monitor')}</a>{' '}
          <a href={pathTo('operations')}>{t('nav.operations')}</a>
        </nav>
      </header>
      <main>{children}</main>
    </>
  )
}
