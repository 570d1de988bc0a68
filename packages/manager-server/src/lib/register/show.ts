import type { Context } from 'koa'
import type { RequestLanguage } from '@steward/manager-core'

/** The language of a page, and its address in the other one, if it has an address. */
export type LanguageOf = (context: Context) => { readonly language: RequestLanguage; readonly other?: string }

/** Answers with a page. */
export function show(context: Context, text: string, status = 200): void {
  context.status = status
  context.type = 'html'
  context.body = text
}
