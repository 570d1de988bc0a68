/** Texts of the pages. Plurals have two forms, chosen by `count`. Views add theirs in blocks of their own. */
export const en = {
  'nav.instances': 'Instances',
  'nav.monitor': 'Monitor',
  'nav.operations': 'Operations',
  'nav.requests': 'Requests',
  'nav.history': 'History',
  'nav.terminal': 'Terminal',
  'page.notFound': 'There is no such page.',
} as const satisfies Readonly<Record<string, Text>>

export type Text = string | { readonly one: string; readonly other: string }
export type TextKey = keyof typeof en
