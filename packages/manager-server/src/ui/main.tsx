import { product, productName } from '@steward/page-kit'
import { render } from 'preact'
import { App } from './app.js'
import { SignInPage } from './components/sign-in.js'
import { pathTo } from './lib/addresses.js'
import { giveTicketsToDownloads } from './lib/downloads.js'
import '@steward/page-kit/base.css'
import '@steward/page-kit/fields.css'

product.set(productName)
giveTicketsToDownloads()
const isSignIn = location.pathname.replace(/\/$/, '') === pathTo('sign-in')
render(isSignIn ? <SignInPage /> : <App />, document.querySelector('#app') as Element)
