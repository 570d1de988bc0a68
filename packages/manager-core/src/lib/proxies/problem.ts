/** What keeps something from being published as it is wanted; the rest is published all the same. */
export interface Problem {
  /** `snippet`: it was refused and is left out; `address`: nobody can be reached there; `certificate`: no HTTPS there. */
  readonly kind: 'snippet' | 'address' | 'certificate' | 'probe'
  /** Absent: it is about a host, or the manager itself. */
  readonly instance?: { readonly id: string; readonly name: string }
  /** For people, with the line of the snippet. */
  readonly message: string
  readonly file?: string
  readonly line?: number
}
