/** Rows of tables of variables, in short. */

export function text<const S extends string>(section: S, summary: string) {
  return { type: 'text', section, summary } as const
}

export function secret<const S extends string>(section: S, summary: string) {
  return { type: 'secret', section, summary } as const
}

export function yesNo(section: string, ofNone: 'yes' | 'no', summary: string) {
  return { type: 'yes-no', section, summary, default: ofNone } as const
}

export function trueFalse(section: string, ofNone: 'true' | 'false', summary: string) {
  return { type: 'true-false', section, summary, default: ofNone } as const
}

export function integer(section: string, ofNone: string, summary: string, min = 0, max = Number.MAX_SAFE_INTEGER) {
  return { type: 'integer', section, summary, default: ofNone, min, max } as const
}
