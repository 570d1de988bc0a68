/** The result for one part of a server that is recovered. */
export type Recovered = {
  readonly what: 'instance' | 'version' | 'settings' | 'hook' | 'registry' | 'certificates' | 'schedule'
  readonly name: string
  /** `there`: it was here already; `left out`: it is not wanted, or not in the copy; `failed`: it should be here and is not. */
  readonly result: 'restored' | 'there' | 'left out' | 'failed'
  /** Sentences; empty: nothing more to say. */
  readonly message: string
}

export function recovered(what: Recovered['what'], name: string, result: Recovered['result'], message = ''): Recovered {
  return { what, name, result, message }
}
