import type { ManagerContext } from './context.js'
import type { Ability } from './domain/ability.js'
import type { Caller } from './domain/caller.js'
import type { Input } from './domain/input.js'
import type { Json } from './domain/json.js'
import type { PlannedOperation } from './operation/operation.js'

/**
 * One row of the action table. Command line, help, completion, HTTP API, forms and the reference are generated from it;
 * surfaces hold no logic.
 */
export interface Action {
  /** Stable: the command and the API's `action`. */
  readonly name: string
  readonly aliases?: readonly string[]
  /** Names by which clients of other managers know it; help and completion leave them out. */
  readonly formerly?: readonly string[]
  /** Heading in help; the command line lists them in their order. */
  readonly group: ActionGroup
  /** One sentence, imperative. */
  readonly summary: string
  /** More paragraphs of help. */
  readonly description?: string
  /** Positional, in their order. */
  readonly parameters?: readonly Parameter[]
  /** By name: `--database sqlite`, `options[database]=sqlite`. */
  readonly options?: readonly Option[]
  readonly ability: Ability
  /** It changes something: it has a history, `--dry-run` and `--wait`. */
  readonly mutating: boolean
  /** What will be lost, for the question before: `All data of "{name}" will be lost.` `{…}` are inputs. */
  readonly destructive?: string
  /** Input with which nothing is lost, so that no confirmation is needed: `as` of restore. */
  readonly harmlessWith?: string
  /** Input without which nothing is lost, so that no confirmation is needed: `destructive` of upgrade. */
  readonly destructiveWith?: string
  /** Where it can be called. Default: everywhere. */
  readonly surfaces?: readonly Surface[]
  /**
   * Whether callers that may touch some instances only (`Scope`) may perform it: they find no other instances
   * in the registry then. Default: when it has a required parameter of type `instance`.
   */
  readonly scoped?: boolean
  /** The server performs it by itself, not by a worker: it is quick, and what it answers must be written nowhere. */
  readonly direct?: true
  /** It publishes what there is to publish. Default: that is done after each action that changes something. */
  readonly publishesItself?: true
  /** When it runs unattended it mails its failures itself, instance by instance. */
  readonly mailsItself?: true
  /** It is asked all the time and takes long: one answer is for all who ask at the same moment. */
  readonly cached?: true
  /** The input that is the id of an operation, which can be followed until it ends. */
  readonly follows?: string
  /** What it answers says which settings cannot be used. */
  readonly showsSettings?: true
  /** It must always work: with defaults, where settings cannot be used. Default: not when it is `mutating`. */
  readonly alwaysWorks?: true
  /** It runs until it is interrupted: a server. */
  readonly keepsRunning?: true
  /** It runs before recovery and without a manager home: `init`, `completion`. */
  readonly standalone?: boolean
  /**
   * With such input it changes what is outside of the manager's home (databases, processes, accounts), so that a home
   * that was copied or moved refuses it. Default: when it is `mutating`.
   */
  readonly changesOutside?: (input: Readonly<Record<string, Input>>) => boolean
  /** With such input it works where the registry is lost or damaged, and recovers nothing before. Default: never. */
  readonly withoutRegistry?: (input: Readonly<Record<string, Input>>) => boolean
  /** It needs the rights of root when root calls it. Default: it runs as the account that the home belongs to. */
  readonly asCaller?: true
  /** Home that is meant when none is named, whatever the current folder is. Default: the one that commands find. */
  readonly defaultHome?: string
  readonly examples: readonly string[]
  /** How the command line shows the result as text. */
  readonly view: View
  /**
   * Inputs are checked and have their types; absent ones are undefined.
   *
   * @throws ManagerError
   */
  handler(call: ActionCall): Promise<ActionResult>
}

export type ActionGroup =
  | 'Instances'
  | 'Backups'
  | 'Looking'
  | 'Flags'
  | 'Application'
  | 'Requests'
  | 'Access'
  | 'Manager'

export type Surface = 'cli' | 'api'

interface InputBase {
  readonly name: string
  readonly summary: string
  /** `instance` is the name of one that is there; `version` one of the versions; `runtime` one of `runtimes`; `file` a path of this machine. */
  readonly type: InputType
  /** For `instance`: also the name of one that is gone. */
  readonly orGone?: true
  /** For `choice`. */
  readonly choices?: readonly string[]
  /** For `integer`. */
  readonly min?: number
  readonly max?: number
  /** Never written down, nor shown in history; over HTTP it is sent as a header, because addresses are logged. */
  readonly secret?: boolean
  /** On the command line: the flag with which it is read from standard input, or asked for at a terminal. */
  readonly readWith?: string
  /** An empty text is refused, not taken for absent: without it more would be done than is wanted. */
  readonly nonEmpty?: true
}

export type InputType =
  | 'instance'
  | 'new-name'
  | 'version'
  | 'runtime'
  | 'text'
  | 'integer'
  | 'yes-no'
  | 'flag'
  | 'choice'
  | 'file'

export interface Parameter extends InputBase {
  readonly required?: boolean
  /** Takes all that follow; the input is an array. Only the last one. */
  readonly variadic?: boolean
}

export interface Option extends InputBase {
  /** One letter. */
  readonly short?: string
  /** What a caller who gives it must be allowed to do. Default: what the action needs. */
  readonly ability?: Ability
  /** Where it can be given. Default: wherever the action can be called. */
  readonly surfaces?: readonly Surface[]
}

/** `table` shows `list`, `record` shows `item`, `text` shows `message`, `log` shows `list` or `stream`: lines of a log. */
export type View =
  | {
      readonly type: 'table'
      /** The most important first: narrow terminals get only the first ones. */
      readonly columns: readonly string[]
      /** Columns that are left out when no row has anything there. */
      readonly optional?: readonly string[]
      /** A key whose text, often long, stands on a line of its own below its row. */
      readonly below?: string
      /** The last column, when its texts are continued in the next line instead of being cut. */
      readonly wraps?: string
      readonly empty: string
    }
  | { readonly type: 'record' }
  | { readonly type: 'text' }
  | { readonly type: 'log' }

export interface ActionCall {
  readonly context: ManagerContext
  readonly input: Readonly<Record<string, Input>>
  readonly caller: Caller
}

/**
 * What an action answers. All that is JSON travels as it is, under the keys of docs/spec/wire-decisions.md ("every API
 * answer"); `stream` and `program` are for surfaces that can: text line by line until it ends, a file, a program of the
 * terminal.
 */
export interface ActionResult {
  /** One sentence for people: what was done. */
  readonly message: string
  readonly warnings?: readonly string[]
  /** Id of the operation. */
  readonly operation?: string
  readonly list?: readonly Json[]
  readonly item?: Json
  /** Keys of texts that stand on lines of their own below each row of `list`, in place of the view's `below`. */
  readonly below?: readonly string[]
  /** Set by a dry run. */
  readonly plan?: PlannedOperation
  /** Set by a dry run: nothing that is there is replaced or removed, so that no confirmation is needed. */
  readonly losesNothing?: true
  /** Other keys of the answer: `io_url`, `health`, `config` … */
  readonly data?: Readonly<Record<string, Json>>
  /** Lines as they come. */
  readonly stream?: AsyncIterable<string>
  /** A program that takes the terminal over: shell, database client. */
  readonly program?: Program
  /** The server of this manager, which runs until it is ended; for the command line. */
  readonly server?: { readonly listen?: string }
  /** A file to send or to write. */
  readonly file?: {
    readonly name: string
    readonly mime: string
    readonly content: () => AsyncIterable<Uint8Array>
    /** What is not in it, in a sentence each: known when it was read. */
    readonly warnings?: readonly string[]
  }
  /** The command's exit code when it did what was asked and the answer is "no": unit tests failed, doctor found faults. */
  readonly exitCode?: 0 | 1
}

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** Over the caller's environment. */
  readonly environment: Readonly<Record<string, string>>
  /** It runs as another account, and gets no more of the caller's environment than a terminal needs. */
  readonly isolated?: boolean
  readonly folder?: string
  /** Path of a file that becomes its standard input. */
  readonly input?: string
}
