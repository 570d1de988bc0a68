import { product } from '@steward/page-kit'
import { render } from 'preact'
import { App } from './app.js'
import { t } from './lib/i18n.js'
import '@steward/page-kit/base.css'
import '@steward/page-kit/fields.css'

product.set(t('shell.title'))
render(<App />, document.querySelector('#app') as Element)
