import type { RequestLanguage } from '@steward/manager-core'
import { markup, page, type AddressIn } from './page.js'
import { passwordTexts, type PasswordFault, type PasswordTold } from './password-texts.js'
import { texts } from './texts.js'

export interface PasswordViewOptions {
  readonly language: RequestLanguage
  /** Path of `/register/password`. */
  readonly base: string
  readonly addressIn?: AddressIn
}

/** Where the link of the mail leads. Only its button goes further, as programs that look at mails follow links. */
export function passwordStartView(options: PasswordViewOptions): string {
  const { title, text, code, codeHint, submit } = passwordTexts[options.language].start
  return page({
    ...options,
    title,
    script: `${options.base}/token.js`,
    content: markup`<p>${text}</p>
      <form method="post" action="${options.base}">
        <input type="hidden" name="lang" value="${options.language}" />
        <div id="by-hand">
          <label for="token">${code}</label>
          <input id="token" name="token" required autocomplete="off" spellcheck="false" autocapitalize="none" aria-describedby="token-hint" />
          <small id="token-hint">${codeHint}</small>
        </div>
        <button>${submit}</button>
      </form>`,
  })
}

export function choosePasswordView(
  options: PasswordViewOptions,
  { token, name, fault }: { readonly token: string; readonly name: string; readonly fault?: PasswordFault | undefined },
): string {
  const { title, text, password, again, submit, faults } = passwordTexts[options.language].choose
  const wrong = fault && filled(faults[fault.why], { least: 'least' in fault ? String(fault.least) : '' })
  const field = (id: 'password' | 'again', label: string) =>
    markup`<div>
      <label for="${id}">${label}</label>
      <input id="${id}" name="${id}" type="password" required maxlength="200" autocomplete="new-password"${
        wrong === undefined ? undefined : markup` aria-invalid="true" aria-describedby="fault"`
      } />
    </div>`
  return page({
    ...options,
    title,
    content: markup`<p>${filled(text, { name })}</p>
      ${wrong === undefined ? undefined : markup`<div class="faults" role="alert"><p id="fault">${wrong}</p></div>`}
      <form method="post" action="${options.base}">
        <input type="hidden" name="lang" value="${options.language}" />
        <input type="hidden" name="token" value="${token}" />
        ${field('password', password)} ${field('again', again)}
        <button>${submit}</button>
      </form>`,
  })
}

/** A page that shows the result, and what can be done. */
export function passwordToldView(
  options: PasswordViewOptions,
  name: PasswordTold,
  {
    address,
    support = '',
    token = '',
  }: { readonly address?: string; readonly support?: string; readonly token?: string } = {},
): string {
  const text = passwordTexts[options.language]
  const { title, text: said } = name === 'tooMany' ? texts[options.language].tooMany : text[name]
  const hidden = markup`<input type="hidden" name="lang" value="${options.language}" />
    <input type="hidden" name="token" value="${token}" />`
  return page({
    ...options,
    title,
    content: markup`<p role="status">${filled(said, { support })}</p>
      ${address === undefined ? undefined : markup`<p class="links"><a class="button" href="${address}">${text.set.open}</a></p>`}
      ${
        name === 'expired'
          ? markup`<form method="post" action="${options.base}/again">${hidden}<button>${text.expired.again}</button></form>`
          : undefined
      }
      ${
        name === 'silent'
          ? markup`<form method="post" action="${options.base}">${hidden}<button>${text.silent.again}</button></form>`
          : undefined
      }`,
  })
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place)
}
