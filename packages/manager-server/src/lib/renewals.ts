import { startRenewals, type Manager, type Renewals } from '@steward/manager-core'

/** Certificates are issued and renewed while the server runs, and somebody is told when they expire. */
export function renewalsOf({ context }: Manager): Renewals {
  return startRenewals({ context, onProblem: tellOfCertificates })
}

export function tellOfCertificates(message: string): void {
  process.stderr.write(`Certificates: ${message}\n`)
}
