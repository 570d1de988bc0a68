import type { Context } from 'koa'
import type { RequestLanguage } from '@steward/manager-core'
import type { AddressIn } from './page.js'

/** The language of a page, and its address in others, if it has an address. */
export type LanguageOf = (context: Context) => { readonly language: RequestLanguage; readonly addressIn?: AddressIn }

/** Answers with a page. */
export function show(context: Context, text: string, status = 200): void {
  context.status = status
  context.type = 'html'
  context.body = text
}
