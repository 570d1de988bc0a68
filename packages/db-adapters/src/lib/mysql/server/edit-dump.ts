import { quote } from '../quote.js'

const newLine = 10

/** Line beginnings under which mysqldump names who made a view, trigger, routine or event. */
const definer =
  /^((?:\/\*!\d+ (?:CREATE\*\/ \/\*!\d+ )?|CREATE (?:OR REPLACE )?)DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*` ?)/gm
/** MariaDB's first line, on which other clients fail. */
const sandbox = /^\/\*M?!999999\\- enable the sandbox mode \*\/ *\r?\n/

/** The line of a view's definition, which has no other names of databases than those of its tables. */
const viewStart = '/*!50001 VIEW `'
const viewLine = /^\/\*!50001 VIEW `.*$/gm

/** A text, which stays as it is, or a column with its table and database. */
const textOrColumn = /'(?:[^'\\]|\\.|'')*'|(?:`(?:[^`]|``)*`\.){2}(?=`)/g

export interface EditDumpOptions {
  /** Where it is from. The server writes this name into views whose definer does not exist. */
  readonly database: string
  /** What comes first. */
  readonly routines?: string | undefined
}

/**
 * Makes a dump that another user can restore, with MySQL's and with MariaDB's client: views, triggers, routines and
 * events belong to whom restores them. Rows stand in lines that start otherwise and are never changed.
 */
export async function* editDump(
  source: AsyncIterable<Buffer>,
  { database, routines = '' }: EditDumpOptions,
): AsyncGenerator<Buffer> {
  if (routines !== '') yield Buffer.from(routines)
  let rest: Buffer[] = []
  let isFirst = true
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(newLine) + 1
    if (end === 0) {
      rest.push(chunk)
      continue
    }
    yield edit(Buffer.concat([...rest, chunk.subarray(0, end)]))
    rest = end < chunk.length ? [chunk.subarray(end)] : []
  }
  if (rest.length > 0) yield edit(Buffer.concat(rest))

  /** How much of ``database`.`table`.`column`` goes. */
  function own(found: string): number {
    return found.startsWith(`${quote(database)}.`) ? quote(database).length + 1 : 0
  }

  function edit(lines: Buffer): Buffer {
    const mayNeedIt = isFirst || lines.includes('DEFINER=`') || lines.includes(viewStart)
    if (!mayNeedIt) return lines
    // A character per byte, so that what is not a text stays as it is.
    const text = lines.toString('latin1')
    const edited = (isFirst ? text.replace(sandbox, '') : text)
      .replace(definer, withoutDefiner)
      .replace(viewLine, (line) => line.replace(textOrColumn, (found) => found.slice(own(found))))
    isFirst = false
    return Buffer.from(edited, 'latin1')
  }
}

function withoutDefiner(line: string): string {
  return line.slice(0, line.indexOf('DEFINER='))
}
