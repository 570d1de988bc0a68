/** A text of the pages, with `{places}`; of a plural two forms, chosen by `count`. */
export type Text = string | { readonly one: string; readonly other: string }
export type Texts = Readonly<Record<string, Text>>
