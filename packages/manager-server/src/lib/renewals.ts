import { startRenewals, type Manager, type Publishing, type Renewals } from '@steward/manager-core'

/** Certificates are issued and renewed while the server runs, and somebody is told when they expire. */
export function renewalsOf({ context }: Manager, { begun }: Publishing): Renewals {
  return startRenewals({ context, after: begun, onProblem: tellOfCertificates })
}

export function tellOfCertificates(message: string): void {
  process.stderr.write(`Certificates: ${message}\n`)
}
