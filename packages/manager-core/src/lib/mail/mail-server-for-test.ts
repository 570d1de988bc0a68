import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A mail that came. */
export interface Received {
  readonly from: string
  readonly to: readonly string[]
  readonly user: string | undefined
  readonly secure: boolean
  readonly text: string
}

/** `startMailServer()` for one test. */
export async function mailServer(options: SMTPServerOptions = {}) {
  const { received, port, close } = await startMailServer(options)
  onTestFinished(close)
  return { received, port }
}

/** A mail server that knows the user `me` with the password `s3cret:pass`. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      if (username === 'me' && password === 's3cret:pass') done(null, { user: username })
      else done(new Error(`Wrong password ${password}`))
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('nobody@') ? new Error('No such user') : null)
    },
    onData(stream, { envelope, user, secure }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope
        const text = Buffer.concat(chunks).toString()
        const from = mailFrom === false ? '' : mailFrom.address
        received.push({ from, to: rcptTo.map(({ address }) => address), user, secure, text })
        done()
      })
    },
    ...options,
  })
  // Clients that turn away cause it.
  server.on('error', () => undefined)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const close = async () => new Promise<void>((done) => server.close(() => done()))
  return { received, port: (server.server.address() as AddressInfo).port, close }
}

/** Without encryption. */
export const plain: SMTPServerOptions = { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }
