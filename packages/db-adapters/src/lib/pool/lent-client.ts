type Method = (...args: unknown[]) => unknown

/**
 * A driver's connection for the use of others: the same object, but that its statements are heard of.
 *
 * @param methods that send statements
 * @param used Called before each statement.
 * @param failed Called when one fails that has a callback or gives a promise.
 */
export function lentClient(
  client: object,
  methods: readonly string[],
  used: () => void,
  failed: (error: unknown) => void = () => {},
): object {
  const own = methods.map((name) => {
    const send = (...args: unknown[]): unknown => {
      used()
      const done = args.at(-1)
      const heard = typeof done === 'function' ? [...args.slice(0, -1), hearing(done as Method, failed)] : args
      const sent = (client as Record<string, Method>)[name]!.apply(client, heard)
      if (sent instanceof Promise) sent.catch(failed)
      return sent
    }
    return [name, { value: send, writable: true, configurable: true }] as const
  })
  return Object.create(client, Object.fromEntries(own)) as object
}

function hearing(done: Method, failed: (error: unknown) => void): Method {
  return function (this: unknown, ...args) {
    if (args[0]) failed(args[0])
    return done.apply(this, args)
  }
}
