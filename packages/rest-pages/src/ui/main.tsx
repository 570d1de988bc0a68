import './lib/settings.js'
import { product } from '@steward/page-kit'
import { render } from 'preact'
import { App } from './app.js'
import { settings } from './lib/settings.js'
import '@steward/page-kit/base.css'
import '@steward/page-kit/fields.css'

product.set(settings.title)
render(<App />, document.querySelector('#app') as Element)
