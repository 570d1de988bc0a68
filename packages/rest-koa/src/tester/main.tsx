import { render } from 'preact'
import '@steward/page-kit/base.css'
import '@steward/page-kit/fields.css'
import '@steward/page-kit/markdown.css'
import '@steward/page-kit/shell.css'
import '@steward/page-kit/theme'
import { App } from './app.js'
import { t } from './i18n.js'
import { readSettings } from './settings.js'
import './tester.css'

const settings = readSettings(document.body, location.href)
document.title = [settings.title, t('title')].filter(Boolean).join(' · ')
render(<App settings={settings} />, document.body)
