import type { IncomingMessage } from 'node:http'
import type { Router } from '@koa/router'
import type { Context, Next } from 'koa'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import {
  checkOpen,
  confirmRequest,
  register,
  requestLanguages,
  requestOfLink,
  type Manager,
  type Registration,
  type RegistrationFaults,
  type RequestLanguage,
} from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import { networkOf } from '../access/client-address.js'
import type { Addressing } from '../addressing.js'
import { createRouter } from '../create-router.js'
import type { ServerState } from '../server-state.js'
import { passwordRouter } from './password-router.js'
import { readForm } from './read-form.js'
import { show } from './show.js'
import { style } from './style.js'
import { confirmView, formView, tellView, trap, welcomeView, type ViewOptions } from './views.js'

export interface RegisterRouterOptions {
  readonly manager: Pick<Manager, 'context'>
  readonly addressing: Addressing
  /** IP address of the caller. */
  readonly addressOf: (request: IncomingMessage) => string
}

/** Forms that one address may post in an hour. Not specified; chosen. */
const postsPerHour = 10

const fields = ['name', 'version', 'email', 'firstname', 'lastname', 'phone', 'company'] as const

/** Forms go to this server only; nothing is loaded but the style, nothing runs, and no frame holds the pages. */
const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * Public pages at `/register`, where people ask for an instance and confirm it; without any script. They are there when
 * APPS_ALLOWREGISTER=yes. With APPS_ALLOWDISPLAYREGISTER the address of the manager leads to them, too.
 */
export function registerRouter({ manager, addressing, addressOf }: RegisterRouterOptions): Router<ServerState> {
  const { context: core } = manager
  const limiter = new RateLimiterMemory({ points: postsPerHour, duration: 3600 })
  const base = `${addressing.prefix}/register`
  const logIn = `${addressing.prefix}/ui/`
  const password = passwordRouter({
    manager,
    addressOf,
    base: `${base}/password`,
    languageOf: (context) => viewOf(context),
  })

  const router = createRouter(addressing)
  router.all('welcome', '{/}', ifAllowed(welcome))
  router.all('/register{/{*below}}', ifAllowed(withPolicy))
  router.get('registerStyle', '/register/style.css{/}', ifAllowed(sendStyle))
  router.get(
    'register',
    '/register{/}',
    ifAllowed(async (context) => whenOpen(context, () => form(context))),
  )
  router.post(
    '/register{/}',
    ifAllowed(async (context) => whenOpen(context, () => posted(context, ask))),
  )
  router.get('registerSent', '/register/sent{/}', ifAllowed(told('sent')))
  router.get('registerConfirmed', '/register/confirmed{/}', ifAllowed(told('confirmed')))
  router.get('registerConfirm', '/register/confirm{/}', ifAllowed(confirmPage))
  router.post(
    '/register/confirm{/}',
    ifAllowed(async (context) => posted(context, confirm)),
  )
  return router.use(password.routes())

  /** Where registration is off, the addresses are not there. */
  function ifAllowed(work: (context: Context, next: Next) => unknown) {
    return (context: Context, next: Next): unknown =>
      core.settings.global.allowRegister ? work(context, next) : next()
  }

  async function withPolicy(context: Context, next: Next): Promise<void> {
    context.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
    await next()
  }

  async function welcome(context: Context, next: Next): Promise<void> {
    if (!core.settings.global.allowDisplayRegister) return next()
    await withPolicy(context, async () => {
      if (context.method !== 'GET' && context.method !== 'HEAD') return next()
      show(context, welcomeView(viewOf(context), logIn))
    })
  }

  function sendStyle(context: Context): void {
    context.set('Cache-Control', 'public, max-age=3600')
    context.type = 'css'
    context.body = style
  }

  function told(name: 'sent' | 'confirmed') {
    return (context: Context): void => show(context, tellView(viewOf(context), name))
  }

  async function form(context: Context, values: Partial<Registration> = {}, faults: RegistrationFaults = {}) {
    const versions = await core.templates.list()
    show(context, formView(viewOf(context), { values, faults, versions }), Object.keys(faults).length > 0 ? 400 : 200)
  }

  /** Strangers need not know the reason; the operator finds it in `requests` and `doctor`, what fails in the log. */
  async function whenOpen(context: Context, work: () => Promise<void>): Promise<void> {
    try {
      checkOpen(core)
      await work()
    } catch (error) {
      if (!ManagerError.is(error)) throw error
      if (error.outcome === 'failed') context.app.emit('error', error, context)
      show(context, tellView(viewOf(context), error.code === 'ERR_LIMIT' ? 'tooMany' : 'closed'), 503)
    }
  }

  async function posted(
    context: Context,
    work: (context: Context, values: Readonly<Record<string, string>>) => Promise<void>,
  ): Promise<void> {
    const values = await readForm(context.req)
    context.state.language = languageOf(values.lang)
    try {
      await limiter.consume(networkOf(addressOf(context.req)))
    } catch (error) {
      if (error instanceof Error) throw error
      const { msBeforeNext } = error as { readonly msBeforeNext: number }
      context.set('Retry-After', String(Math.ceil(msBeforeNext / 1000)))
      return show(context, tellView(viewOf(context), 'tooMany'), 429)
    }
    await work(context, values)
  }

  async function ask(context: Context, values: Readonly<Record<string, string>>): Promise<void> {
    const { language } = viewOf(context)
    const registration = Object.fromEntries(fields.map((name) => [name, values[name] ?? ''])) as unknown as Registration
    // Who fills it in is not a person, and need not know that.
    if (!values[trap]) {
      const faults = await register(core, registration, { language, address: addressOf(context.req) })
      if (Object.keys(faults).length > 0) return form(context, registration, faults)
    }
    leadTo(context, 'sent')
  }

  function confirmPage(context: Context): void {
    const token = String(context.query.token ?? '')
    const request = requestOfLink(core, token)
    if (!request) return show(context, tellView(viewOf(context), 'gone'), 404)
    const view = viewOf(context, request.language)
    show(context, request.status === 'unconfirmed' ? confirmView(view, request, token) : tellView(view, 'confirmed'))
  }

  async function confirm(context: Context, { token = '' }: Readonly<Record<string, string>>): Promise<void> {
    const request = await confirmRequest(core, token, { address: addressOf(context.req) })
    if (request) return leadTo(context, 'confirmed')
    show(context, tellView(viewOf(context), 'gone'), 404)
  }

  /** Loading the page again does not send the form again. */
  function leadTo(context: Context, name: 'sent' | 'confirmed'): void {
    context.redirect(`${base}/${name}?lang=${viewOf(context).language}`)
    context.status = 303
  }

  /** What was chosen, else what the mail was written in, else what the browser prefers. */
  function viewOf(context: Context, ofMail?: RequestLanguage): ViewOptions {
    const preferred = context.acceptsLanguages([...requestLanguages])
    const { language: posted } = context.state as { readonly language?: unknown }
    const language = languageOf(posted) ?? languageOf(context.query.lang) ?? ofMail ?? languageOf(preferred) ?? 'en'
    if (context.method === 'POST') return { language, base }
    const query = new URLSearchParams(context.querystring)
    const addressIn = (one: RequestLanguage) => {
      query.set('lang', one)
      return `${context.path}?${query.toString()}`
    }
    return { language, base, addressIn }
  }
}

function languageOf(text: unknown): RequestLanguage | undefined {
  return requestLanguages.find((one) => one === text)
}
