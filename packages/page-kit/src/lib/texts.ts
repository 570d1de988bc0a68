import { de } from '../texts/de.js'
import { en } from '../texts/en.js'
import { fr } from '../texts/fr.js'
import type { Text } from '../texts/text.js'
import { language, locale, type Language } from './language.js'
import { typeset } from './typeset.js'

type KitKey = keyof typeof en

/** The texts of a page's own, beside those that all pages share. */
export interface Texts<Key extends string> {
  /** The text of a key, with its `{places}` filled. Of a plural, `{one, other}` by `count`. */
  readonly t: (name: Key | KitKey, values?: Readonly<Record<string, string | number>>) => string
  /** Whether there is a text of that key: of what the server names, such as an action. */
  readonly hasText: (name: string) => name is Key | KitKey
}

/** @param own texts in each language, with the same keys */
export function createTexts<Key extends string = never>(
  own: Readonly<Record<Language, Readonly<Record<Key, Text>>>>,
): Texts<Key> {
  const texts: Readonly<Record<string, Text>> = { ...{ en, fr, de }[language], ...own[language] }
  return {
    t(name, values = {}) {
      const text = texts[name] as Text
      const form = typeof text === 'string' ? text : text[plural(Number(values['count']))]
      return typeset(form, language).replaceAll(/\{(\w+)\}/g, (place, value: string) => {
        const filled = values[value]
        return filled === undefined ? place : typeof filled === 'number' ? filled.toLocaleString(locale) : filled
      })
    },
    hasText: (name): name is Key | KitKey => Object.hasOwn(texts, name),
  }
}

function plural(count: number): 'one' | 'other' {
  return new Intl.PluralRules(language).select(count) === 'one' ? 'one' : 'other'
}
