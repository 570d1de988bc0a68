import { render } from 'preact'
import { App } from './app.js'
import { readSettings } from './settings.js'
import './tester.css'

render(<App settings={readSettings(document.body, location.href)} />, document.body)
