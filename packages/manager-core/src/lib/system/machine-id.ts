import { readFileSync } from 'node:fs'

/** Set up by systemd or D-Bus; empty: other machines and most containers have none. */
export function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim()
  } catch {
    return ''
  }
}
