import type { StoreKnex } from '../store-types.js'

/** Stands for an instance of knex that is made by its first use, so that calls without a use of it cost nothing. */
export function lazyKnex(make: () => StoreKnex): StoreKnex {
  return new Proxy(target, new LazyKnex(make))
}

const target = (): void => {}

type Callable = (...args: readonly unknown[]) => unknown

class LazyKnex implements ProxyHandler<typeof target> {
  readonly #make: () => StoreKnex
  #made: StoreKnex | undefined

  constructor(make: () => StoreKnex) {
    this.#make = make
  }

  get #knex(): StoreKnex {
    return (this.#made ??= this.#make())
  }

  apply(_: unknown, self: unknown, args: unknown[]): unknown {
    return Reflect.apply(this.#knex as unknown as Callable, self, args)
  }

  get(_: unknown, name: string | symbol): unknown {
    return Reflect.get(this.#knex, name)
  }

  set(_: unknown, name: string | symbol, value: unknown): boolean {
    return Reflect.set(this.#knex, name, value)
  }

  has(_: unknown, name: string | symbol): boolean {
    return Reflect.has(this.#knex, name)
  }
}
