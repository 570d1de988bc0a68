import escapeHtml from 'escape-html'
import type { RequestLanguage } from '@steward/manager-core'

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

export interface PageOptions {
  readonly language: RequestLanguage
  readonly title: string
  /** Path of `/register`. */
  readonly base: string
  /** Path and query of this page in the other language; absent: it is not offered. */
  readonly other?: string
  /** Path of the script that it has; absent: none. */
  readonly script?: string
  readonly content: Html
}

/** A whole page. */
export function page({ language, title, base, other, script, content }: PageOptions): string {
  const [code, name] = language === 'en' ? ['fr', 'Français'] : ['en', 'English']
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
        ${other === undefined ? undefined : markup`<nav><a href="${other}" lang="${code}" hreflang="${code}">${name}</a></nav>`}
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text
}
