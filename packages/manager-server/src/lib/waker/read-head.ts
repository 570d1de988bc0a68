import type { Socket } from 'node:net'

/** For the head of a request; the instances take less. */
const mostBytes = 65_536
const patienceMs = 10_000

/**
 * All that came until the head of the first request was complete; the socket is paused then.
 *
 * @returns undefined: it is too long, came too slowly, or not at all; the socket is destroyed
 */
export function readHead(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let head = Buffer.alloc(0)
    const done = (found: Buffer | undefined) => {
      clearTimeout(timer)
      socket.off('data', take).off('end', fail).off('close', fail).pause()
      if (!found) socket.destroy()
      resolve(found)
    }
    const fail = () => done(undefined)
    const take = (bytes: Buffer) => {
      // The end may be cut in two.
      const from = Math.max(0, head.length - 3)
      head = Buffer.concat([head, bytes])
      if (head.indexOf('\r\n\r\n', from, 'latin1') >= 0) done(head)
      else if (head.length > mostBytes) fail()
    }
    const timer = setTimeout(fail, patienceMs)
    socket.on('data', take).once('end', fail).once('close', fail)
  })
}
