import { inspect } from 'node:util'

/** A value that prints as `***` wherever it ends up by mistake: templates, JSON, `console.log`, errors. */
export class Secret<T extends string = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** The value itself; say it only where it is used. */
  reveal(): T {
    return this.#value
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }

  [inspect.custom](): string {
    return '***'
  }
}
