/**
 * The text of a CREATE TABLE statement as SQLite keeps it and MySQL shows it, cut into its parts, so that one part can
 * be changed and everything else (checks, defaults, collations, comments, options) stays as its owner wrote it.
 */
export interface TableText {
  /** Columns and table constraints, as between the commas. */
  readonly items: readonly string[]
  /** What follows the closing parenthesis. */
  readonly tail: string
}

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly kind: 'word' | 'quoted' | 'group' | 'other'
}

const space = String.raw`(?:\s|--[^\n]*|/\*[^]*?(?:\*/|$))+`
const quoted = String.raw`'(?:[^']|'')*'|"(?:[^"]|"")*"|${'`'}(?:[^${'`'}]|${'``'})*${'`'}|\[[^\]]*\]`
const lexeme = new RegExp(
  String.raw`(?<space>${space})|(?<quoted>${quoted})|(?<word>[\p{L}\p{N}_$.]+)|(?<other>[^])`,
  'uy',
)

/** Tokens outside of parentheses; what is within them is one token. */
function tokens(text: string): Token[] {
  const found: Token[] = []
  let depth = 0
  let groupStart = 0
  lexeme.lastIndex = 0
  for (let match = lexeme.exec(text); match; match = lexeme.exec(text)) {
    const { space: blank, quoted: name, word, other } = match.groups as Record<string, string | undefined>
    const end = lexeme.lastIndex
    if (other === '(' && depth++ === 0) groupStart = match.index
    else if (other === ')' && --depth === 0)
      found.push({ text: text.slice(groupStart, end), start: groupStart, end, kind: 'group' })
    else if (depth === 0 && blank === undefined) {
      found.push({
        text: match[0],
        start: match.index,
        end,
        kind: name !== undefined ? 'quoted' : word !== undefined ? 'word' : 'other',
      })
    }
    if (end === text.length) break
  }
  return found
}

/** @throws TypeError when it is not the text of a CREATE TABLE statement with columns. */
export function splitTable(sql: string): TableText {
  const body = tokens(sql).find(({ kind }) => kind === 'group')
  if (!body) throw new TypeError(`Cannot find the columns in: ${sql}`)
  return { items: splitList(body.text.slice(1, -1)), tail: sql.slice(body.end) }
}

function splitList(text: string): string[] {
  const commas = tokens(text).filter(({ text: sign, kind }) => kind === 'other' && sign === ',')
  const starts = [0, ...commas.map(({ end }) => end)]
  return starts.map((start, n) => text.slice(start, commas[n]?.start ?? text.length))
}

/** The name that a column or a table of the statement has in the catalogue. */
export function unquote(name: string): string {
  const mark = name[0]
  if (mark === '[') return name.slice(1, -1)
  return mark === '"' || mark === '`' || mark === "'" ? name.slice(1, -1).replaceAll(mark + mark, mark) : name
}

const constraintStarts = new Set([
  'constraint',
  'primary',
  'unique',
  'check',
  'foreign',
  'key',
  'index',
  'fulltext',
  'spatial',
  'period',
])

/** Name of the column that the item defines; undefined for a table constraint or an index. */
export function columnOfItem(item: string): string | undefined {
  const [first] = tokens(item)
  if (!first || (first.kind === 'word' && constraintStarts.has(first.text.toLowerCase()))) return undefined
  return unquote(first.text)
}

/** The item of a column with another type; `after` are the words that may follow a type. */
export function withType(item: string, type: string, after: ReadonlySet<string>): string {
  const [name, ...rest] = tokens(item) as [Token, ...Token[]]
  const next = rest.find(({ text, kind }) => kind === 'word' && after.has(text.toLowerCase()))
  const end = rest.filter((token) => !next || token.start < next.start).at(-1)?.end ?? name.end
  return `${item.slice(0, name.end)} ${type}${item.slice(end)}`
}

export interface ForeignKeyText {
  /** Empty when it has none. */
  readonly name: string
  /** Undefined for the column of the item itself. */
  readonly columns: readonly string[] | undefined
  readonly start: number
  readonly end: number
}

/** Foreign keys in an item: of the column, or as table constraints. */
export function foreignKeysOfItem(item: string): ForeignKeyText[] {
  const all = tokens(item)
  const is = (n: number, ...words: string[]): boolean =>
    words.every((word, k) => all[n + k]?.text.toLowerCase() === word && all[n + k]?.kind === 'word')
  const found: ForeignKeyText[] = []
  all.forEach((_token, at) => {
    if (!is(at, 'references')) return
    const foreign = all[at - 1]?.kind === 'group' && is(at - 3, 'foreign', 'key') ? all[at - 1] : undefined
    const clause = foreign ? at - 3 : at
    const named = is(clause - 2, 'constraint')
    const first = all[named ? clause - 2 : clause] as Token
    found.push({
      name: named ? unquote((all[clause - 1] as Token).text) : '',
      columns: foreign && splitList(foreign.text.slice(1, -1)).map((column) => unquote(tokens(column)[0]?.text ?? '')),
      start: first.start,
      end: (all[lastOfReference(at)] as Token).end,
    })
  })
  return found

  function lastOfReference(at: number): number {
    let last = at + 1
    if (all[last + 1]?.kind === 'group') last += 1
    for (;;) {
      const next = last + 1
      if (is(next, 'on')) last += is(next + 2, 'set') || is(next + 2, 'no') ? 4 : 3
      else if (is(next, 'match')) last += 2
      else if (is(next, 'deferrable')) last += 1
      else if (is(next, 'not', 'deferrable')) last += 2
      else if (is(next, 'initially')) last += 2
      else return last
    }
  }
}

/** The item without the foreign key of this name; empty when nothing else was in it. */
export function withoutForeignKey(item: string, name: string): string {
  const key = foreignKeysOfItem(item).find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (!key) return item
  const rest = item.slice(0, key.start) + item.slice(key.end)
  return tokens(rest).length === 0 ? '' : rest
}
