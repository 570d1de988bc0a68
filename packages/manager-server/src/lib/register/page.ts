import escapeHtml from 'escape-html'
import { requestLanguages, type RequestLanguage } from '@steward/manager-core'

/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | undefined | readonly Html[]

/** A template in which values are escaped, unless they are HTML themselves. undefined: nothing. */
export function markup(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)))
}

function textOf(value: Part): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeHtml(String(value))
}

/** Path and query of a page in a language. */
export type AddressIn = (language: RequestLanguage) => string

const languageNames: Readonly<Record<RequestLanguage, string>> = { en: 'English', fr: 'Français', de: 'Deutsch' }

export interface PageOptions {
  readonly language: RequestLanguage
  readonly title: string
  /** Path of `/register`. */
  readonly base: string
  /** Path and query of this page in a language; absent: no other language is offered. */
  readonly addressIn?: AddressIn
  /** Path of the script that it has; absent: none. */
  readonly script?: string
  readonly content: Html
}

/** A whole page. */
export function page({ language, title, base, addressIn, script, content }: PageOptions): string {
  const others = requestLanguages.filter((one) => one !== language)
  return markup`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="stylesheet" href="${base}/style.css" />
        ${script === undefined ? undefined : markup`<script src="${script}" defer></script>`}
      </head>
      <body>
        ${
          addressIn &&
          markup`<nav>${others.map((one) => markup`<a href="${addressIn(one)}" lang="${one}" hreflang="${one}">${languageNames[one]}</a> `)}</nav>`
        }
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text
}
