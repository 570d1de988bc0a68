/** Names and values in turn, as `ServerResponse.writeHead` takes them fastest. `send` may add to it. */
export type HeaderList = string[]

/** How an answer is given to Koa. */
export type Respond = 'direct' | 'koa'

/** The same; `compressed` is `direct`, compressed as the client asks. */
export type Delivery = Respond | 'compressed'

/** For bodies that are compressed already, are read in ranges, or hold a secret that their length could give away. */
export function uncompressed(delivery: Delivery): Respond {
  return delivery === 'compressed' ? 'direct' : delivery
}
