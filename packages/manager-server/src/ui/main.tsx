import { render } from 'preact'
import { App } from './app.js'
import './styles/base.css'
import './styles/fields.css'

render(<App />, document.querySelector('#app') as Element)
