import { useEffect } from 'preact/hooks'
import { api, type ApiFailure } from './api.js'
import { isConnected } from './connection.js'
import { createStore, useStore } from './store.js'

export type Ability = 'read' | 'operate' | 'admin' | 'sensitive'

/** Who uses the pages, and what this server offers. */
export interface Session {
  readonly actor: string
  readonly abilities: readonly Ability[]
  /** Names of the only instances that it may see; null: all. */
  readonly instances: readonly string[] | null
  readonly features: Readonly<Partial<Record<'terminal' | 'register' | 'download' | 'proxy', boolean>>>
}

/** An action as forms need it. */
export interface ActionRow {
  /** As the API takes it, with a hyphen between two words: `backups-verify`. */
  readonly name: string
  readonly group: string
  readonly summary: string
  readonly description?: string
  readonly ability: Ability
  readonly mutating: boolean
  /** What will be lost, with `{places}` for inputs. */
  readonly destructive?: string
  /** Input with which nothing is lost. */
  readonly harmlessWith?: string
  /** Input without which nothing is lost. */
  readonly destructiveWith?: string
  readonly parameters: readonly InputRow[]
  readonly options: readonly InputRow[]
  /** Whether who uses the pages may do it. */
  readonly allowed: boolean
}

export interface InputRow {
  readonly name: string
  readonly type: 'instance' | 'new-name' | 'version' | 'text' | 'integer' | 'yes-no' | 'flag' | 'choice' | 'file'
  readonly summary: string
  readonly required?: boolean
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly secret?: boolean
}

interface Asked<T> {
  readonly data?: T
  readonly failure?: ApiFailure
}

/** @returns asks once per load of the page; again after a failure, when somebody looks or the server answers again */
function asking<T>(ask: () => Promise<T>) {
  const store = createStore<Asked<T>>({})
  let begun = false
  const begin = (): void => {
    if (begun) return
    begun = true
    ask().then(
      (data) => store.set({ data }),
      (failure: ApiFailure) => {
        begun = false
        store.set({ failure })
      },
    )
  }
  isConnected.subscribe(() => isConnected.get() && store.get().failure && begin())
  return { store, begin }
}

const session = asking(async () => (await api<{ item: Session }>('whoami')).item)
const table = asking(async (): Promise<ReadonlyMap<string, ActionRow>> => {
  const { list } = await api<{ list: readonly ActionRow[] }>('actions')
  return new Map(list.map((row) => [row.name, row]))
})

/** Whether there is a terminal, and who uses the pages may have one. */
export function hasTerminal({ features, abilities, instances }: Session): boolean {
  const mayAll = abilities.includes('admin') && abilities.includes('sensitive') && instances === null
  return features.terminal === true && mayAll
}

/** Who uses the pages; undefined until it is known. */
export function useSession(): Session | undefined {
  useEffect(session.begin, [])
  return useStore(session.store).data
}

/** What there is to do. */
export interface ActionTable {
  /** Undefined until the table is there. */
  readonly rows: ReadonlyMap<string, ActionRow> | undefined
  readonly failure: ApiFailure | undefined
  /** Whether it may be offered; no while that is not known. */
  isAllowed(action: string): boolean
}

export function useActionTable(): ActionTable {
  useEffect(table.begin, [])
  const { data, failure } = useStore(table.store)
  return { rows: data, failure, isAllowed: (action) => data?.get(action)?.allowed ?? false }
}
