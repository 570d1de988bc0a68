// Stands in for `registry-copies.ts` in the manager: in most histories there are no copies, as they take half of the time.
import {
  createRegistryCopies as create,
  type RegistryCopies,
  type RegistryCopiesOptions,
} from '../../../store/registry-copies.js'
import { machine } from '../machine.js'

export function createRegistryCopies(options: RegistryCopiesOptions): RegistryCopies {
  const copies = create(options)
  return { ...copies, keep: () => (machine.state.keepsCopies ? copies.keep() : undefined) }
}
