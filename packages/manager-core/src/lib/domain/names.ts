import { randomInt } from 'node:crypto'
import { ManagerError } from '../../errors.js'

const pattern = /^[A-Za-z0-9]{3,20}$/
const letters = 'abcdefghijklmnopqrstuvwxyz'
const alphanumerics = `${letters}0123456789`

/** @throws ManagerError ERR_NAME. Source: docs/spec/instances-manager.md, "Limits". */
export function checkName(name: string): void {
  if (isInstanceName(name)) return
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name
  throw new ManagerError('ERR_NAME', `"${shown}" is not a valid instance name.`, {
    help: 'Use 3 to 20 letters and digits (A-Z, a-z, 0-9), without spaces or other characters.',
  })
}

/** Whether a text, such as the name of a folder, can be the name of an instance. */
export function isInstanceName(text: string): boolean {
  return pattern.test(text)
}

/** 10 lower-case alphanumerics. Source: docs/spec/instances-manager.md, "Limits". */
export function randomName(): string {
  return random(10)
}

/** A new internal id: 8 lower-case alphanumerics, the first a letter, so that databases and users may be called so. */
export function randomId(length = 8): string {
  return (letters[randomInt(letters.length)] as string) + random(length - 1)
}

/** Whether a text, such as one from a file of others, can be the id of an instance. */
export function isInstanceId(text: string): boolean {
  return /^[a-z][a-z0-9]{7}$/.test(text)
}

function random(length: number): string {
  return Array.from({ length }, () => alphanumerics[randomInt(alphanumerics.length)]).join('')
}
