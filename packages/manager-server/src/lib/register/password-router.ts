import type { IncomingMessage } from 'node:http'
import { passwordLinkOf, renewPasswordLink, setPasswordByLink, type Manager } from '@steward/manager-core'
import type { Router } from '@koa/router'
import type { Context, Next } from 'koa'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { networkOf } from '../access/client-address.js'
import { createRouter } from '../create-router.js'
import type { ServerState } from '../server-state.js'
import type { PasswordFault } from './password-texts.js'
import { choosePasswordView, passwordStartView, passwordToldView } from './password-views.js'
import { readForm } from './read-form.js'
import { show, type LanguageOf } from './show.js'
import { style } from './style.js'

export interface PasswordRouterOptions {
  readonly manager: Pick<Manager, 'context'>
  /** Path of `/register/password`. */
  readonly base: string
  /** IP address of the caller. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly languageOf: LanguageOf
}

/** Forms that one address may post in an hour: two for each password, and some that are too short. Not specified; chosen. */
const postsPerHour = 20
const longest = 200

/** Forms go to this server only; nothing is loaded but the style, and the script that takes the token after `#`. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Browsers do not send what follows `#`; without scripts people put it in by hand. */
const script = `const token = location.hash.slice(1)
const field = document.getElementById('token')
if (token !== '' && field !== null) {
  field.value = token
  document.getElementById('by-hand').hidden = true
  history.replaceState(null, '', location.pathname + location.search)
}
`

/**
 * Pages at `/register/password`, where people choose the password of their instance by the link of a mail. They are there
 * also when registration is no longer possible, as links were sent before. For the router of `/register`.
 */
export function passwordRouter({ manager, base, addressOf, languageOf }: PasswordRouterOptions): Router<ServerState> {
  const { context: core } = manager
  const limiter = new RateLimiterMemory({ points: postsPerHour, duration: 3600 })

  const router = createRouter()
  router.all('/register/password{/{*below}}', async (context, next: Next) => {
    context.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
    await next()
  })
  router.get('password', '/register/password{/}', (context) =>
    show(context, passwordStartView({ ...languageOf(context), base })),
  )
  router.get('passwordStyle', '/register/password/style.css{/}', (context) => sendText(context, 'css', style))
  router.get('passwordScript', '/register/password/token.js{/}', (context) => sendText(context, 'js', script))
  router.post('/register/password{/}', (context) => post(context, choose))
  return router.post('/register/password/again{/}', (context) => post(context, again))

  async function post(
    context: Context,
    work: (context: Context, values: Readonly<Record<string, string>>) => Promise<void>,
  ) {
    const values = await readForm(context.req, { asTyped: ['password', 'again'] })
    context.state.language = values.lang
    const view = viewOf(context)
    try {
      await limiter.consume(networkOf(addressOf(context.req)))
    } catch (error) {
      if (error instanceof Error) throw error
      context.set('Retry-After', String(Math.ceil((error as { readonly msBeforeNext: number }).msBeforeNext / 1000)))
      return show(context, passwordToldView(view, 'tooMany'), 429)
    }
    await work(context, values)
  }

  function viewOf(context: Context) {
    const { language } = languageOf(context)
    return { language, base }
  }

  async function choose(context: Context, values: Readonly<Record<string, string>>): Promise<void> {
    // The whole address may have been put in.
    const token = (values.token ?? '').replace(/^.*#/, '')
    const { password, again: repeated } = values
    const view = viewOf(context)
    const link = passwordLinkOf(core, token)
    if (link.state !== 'good') return told(context, link.state, token)
    const form = (fault?: PasswordFault) =>
      show(context, choosePasswordView(view, { token, name: link.instance.name, fault }), fault ? 400 : 200)
    if (password === undefined) return form()
    if (password !== repeated) return form({ why: 'different' })
    if (password.trim() === '') return form({ why: 'missing' })
    if (password.length > longest) return form({ why: 'long' })
    const outcome = await setPasswordByLink(core, token, password, { address: addressOf(context.req) })
    switch (outcome.result) {
      case 'set':
        return show(context, passwordToldView(view, 'set', { address: outcome.address }))
      case 'short':
        return form({ why: 'short', least: outcome.least })
      case 'refused':
        return form({ why: 'refused' })
      default:
        return told(context, outcome.result, token)
    }
  }

  function told(context: Context, why: 'used' | 'expired' | 'gone' | 'changed' | 'silent', token: string): void {
    const support = core.settings.global.email ?? ''
    const status = { used: 410, expired: 410, gone: 404, changed: 409, silent: 503 }[why]
    show(context, passwordToldView(viewOf(context), why, { support, token }), status)
  }

  /** Goes to the address of the request, not to the holder of the link. */
  async function again(context: Context, { token = '' }: Readonly<Record<string, string>>): Promise<void> {
    const sent = await renewPasswordLink(core, token)
    if (sent) return show(context, passwordToldView(viewOf(context), 'sent'))
    const { state } = passwordLinkOf(core, token)
    if (state !== 'good') return told(context, state, token)
    show(context, choosePasswordView(viewOf(context), { token, name: '' }))
  }
}

function sendText(context: Context, type: string, text: string): void {
  context.set('Cache-Control', 'public, max-age=3600')
  context.type = type
  context.body = text
}
