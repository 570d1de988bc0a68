import { render } from 'preact'
import { App } from './app.js'
import './styles/base.css'

render(<App />, document.querySelector('#app') as Element)
