/** What `/health` of an instance says. */
export interface Health {
  readonly ok: boolean
  /** Of wire-decisions, "monitoring reasons": `unreachable`, `http-<code>`, `status-<value>`, `slow`; undefined: healthy. */
  readonly reason: string | undefined
  /** As it came, INI text. */
  readonly text: string
  /** Sections by name. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** In ms. */
  readonly responseTime: number
}

/** Calls `/health`. Never rejects for an instance that does not answer. */
export async function checkHealth(
  _port: number,
  _options?: { readonly timeoutMs?: number; readonly slowMs?: number },
): Promise<Health> {
  throw new Error('Not there yet')
}
