import type { InstanceRequest, Registration, RegistrationFaults, RequestLanguage } from '@steward/manager-core'
import { markup, page, type AddressIn, type Html } from './page.js'
import { texts } from './texts.js'

/** Name of a field that people do not see; what fills it in is a program. */
export const trap = 'website'

export interface ViewOptions {
  readonly language: RequestLanguage
  /** Path of `/register`. */
  readonly base: string
  readonly addressIn?: AddressIn
}

export interface FormView {
  readonly values: Partial<Registration>
  readonly faults: RegistrationFaults
  readonly versions: readonly { readonly version: string; readonly title: string; readonly isDefault: boolean }[]
}

const autocomplete: Partial<Record<keyof Registration, string>> = {
  email: 'email',
  firstname: 'given-name',
  lastname: 'family-name',
  phone: 'tel',
  company: 'organization',
}

/** The form, with what was written and what is wrong with it. */
export function formView(options: ViewOptions, { values, faults, versions }: FormView): string {
  const text = texts[options.language]
  const wrong = Object.entries(faults) as [keyof Registration, keyof typeof text.faults][]
  const chosen = values.version ?? versions.find(({ isDefault }) => isDefault)?.version
  const attributes = (name: keyof Registration) => {
    const hint = faults[name] !== undefined || name === 'name' || name === 'email'
    return markup`id="${name}" name="${name}"${hint ? markup` aria-describedby="${name}-hint"` : undefined}${
      faults[name] ? markup` aria-invalid="true"` : undefined
    }`
  }
  const field = (name: keyof Registration, control: Html, wide = false) => {
    const fault = faults[name]
    const hint = fault ? text.faults[fault] : name === 'name' || name === 'email' ? text.hints[name] : undefined
    const mark = name === 'email' ? markup` <span class="mark">(${text.required})</span>` : undefined
    return markup`<div${wide ? markup` class="wide"` : undefined}>
<label for="${name}">${text.labels[name]}${mark}</label>
${control}
${hint === undefined ? undefined : markup`<small id="${name}-hint"${fault ? markup` class="bad"` : undefined}>${hint}</small>`}
</div>`
  }
  const input = (name: keyof Registration, more: Html = markup``, wide = false) =>
    field(
      name,
      markup`<input ${attributes(name)} value="${values[name]}" autocomplete="${autocomplete[name] ?? 'off'}"${more} />`,
      wide,
    )
  return page({
    ...options,
    title: text.title,
    content: markup`<p>${text.intro}</p>
      ${
        wrong.length === 0
          ? undefined
          : markup`<div class="faults" role="alert">
              <p>${text.faultsTitle}</p>
              <ul>
                ${wrong.map(([name, fault]) => markup`<li><a href="#${name}">${text.labels[name]}</a>: ${text.faults[fault]}</li>`)}
              </ul>
            </div>`
      }
      <form method="post" action="${options.base}" accept-charset="utf-8">
        <input type="hidden" name="lang" value="${options.language}" />
        <fieldset>
          <legend>${text.instance}</legend>
          ${input('name', markup` maxlength="20" pattern="[A-Za-z0-9]{3,20}" spellcheck="false" autocapitalize="none"`)}
          ${field(
            'version',
            markup`<select ${attributes('version')} required>
              ${versions.map(
                ({ version, title }) =>
                  markup`<option value="${version}"${version === chosen ? markup` selected` : undefined}>${title === '' ? version : `${title} (${version})`}</option>`,
              )}
            </select>`,
          )}
        </fieldset>
        <fieldset>
          <legend>${text.person}</legend>
          ${input('email', markup` type="email" maxlength="254" required`, true)}
          ${input('firstname', markup` maxlength="80"`)} ${input('lastname', markup` maxlength="80"`)}
          ${input('company', markup` maxlength="120"`)} ${input('phone', markup` type="tel" maxlength="40"`)}
        </fieldset>
        <div class="trap" aria-hidden="true">
          <label for="${trap}">${text.trap}</label>
          <input id="${trap}" name="${trap}" tabindex="-1" autocomplete="off" />
        </div>
        <button>${text.submit}</button>
      </form>`,
  })
}

/** A page with a message only. */
export function tellView(options: ViewOptions, name: 'sent' | 'confirmed' | 'gone' | 'closed' | 'tooMany'): string {
  const text = texts[options.language]
  const { title, text: said } = text[name]
  const again = name === 'gone' ? markup`<p><a href="${options.base}">${text.gone.again}</a></p>` : undefined
  return page({
    ...options,
    title,
    content: markup`<p role="status">${said}</p>
      ${again}`,
  })
}

/** Where the link of the mail leads: only the button confirms, as programs that look at mails follow links. */
export function confirmView(options: ViewOptions, request: InstanceRequest, token: string): string {
  const { title, text, submit } = texts[options.language].confirm
  const { name, version, email } = request
  const said = text.replaceAll(/\{(\w+)\}/g, (place, key: string) => ({ name, version, email })[key] ?? place)
  return page({
    ...options,
    title,
    content: markup`<p>${said}</p>
      <form method="post" action="${options.base}/confirm">
        <input type="hidden" name="lang" value="${options.language}" />
        <input type="hidden" name="token" value="${token}" />
        <button>${submit}</button>
      </form>`,
  })
}

/** What is at the address of the manager when registering is shown. */
export function welcomeView(options: ViewOptions, logIn: string): string {
  const { title, register, logIn: logInText } = texts[options.language].welcome
  return page({
    ...options,
    title,
    content: markup`<p class="links">
      <a class="button" href="${options.base}">${register}</a> <a href="${logIn}">${logInText}</a>
    </p>`,
  })
}
