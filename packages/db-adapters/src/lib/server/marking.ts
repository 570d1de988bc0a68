import { DatabaseServerError } from './database-server.js'
import type { DatabaseAccount } from './database-server.js'
import type { DatabaseServerMark } from './options.js'
import type { RunSql } from './sql-sessions.js'

/** Comments of databases and users, of one type of server. */
export interface AccountMarks {
  /**
   * Comments of its database and user, as far as they are there. What the user can change itself is left out where
   * something else shows whose it is. Undefined: this version has none.
   */
  comments(run: RunSql, account: DatabaseAccount): Promise<readonly unknown[] | undefined>
  /** Writes what `comments` reads, in place of what is there. */
  write(run: RunSql, account: DatabaseAccount, mark: string): Promise<void>
}

export interface Marking {
  marks(run: RunSql, account: DatabaseAccount): Promise<readonly string[] | undefined>
  mark(run: RunSql, account: DatabaseAccount): Promise<void>
  /** @throws DatabaseServerError ERR_MARK */
  refuseOther(run: RunSql, account: DatabaseAccount): Promise<void>
}

/** Goes into statements as it is. */
const pattern = /^Steward [ -&(-[\]-~]{1,242}$/

export const isMark = (comment: unknown): comment is string => typeof comment === 'string' && pattern.test(comment)

/**
 * Marks what one server makes, and knows what another one made.
 *
 * @throws TypeError for what is no mark
 */
export function createMarking({ mark, isVoid }: DatabaseServerMark, table: AccountMarks | undefined): Marking {
  if (mark !== undefined && !isMark(mark))
    throw new TypeError(
      `${JSON.stringify(mark)} is no mark. Use "Steward " and up to 242 printable characters of ASCII but ' and \\.`,
    )
  const marks: Marking['marks'] = async (run, account) => {
    const comments = await table?.comments(run, account)
    return comments && [...new Set(comments.filter(isMark))]
  }
  return {
    marks,
    async mark(run, account) {
      if (mark !== undefined) await table?.write(run, account, mark)
    },
    async refuseOther(run, account) {
      if (mark === undefined) return
      const other = (await marks(run, account))?.find((each) => each !== mark && !isVoid?.(each))
      if (other !== undefined) throw otherMark(account, other)
    },
  }
}

/** The refusal of a database that carries another mark. */
export function otherMark({ name, user }: Pick<DatabaseAccount, 'name' | 'user'>, mark: string): DatabaseServerError {
  return new DatabaseServerError(
    'ERR_MARK',
    `The database "${name}" of the user "${user}" is marked "${mark}": it is another one's, and is not changed here.`,
  )
}
