import * as http from 'node:http'
import * as https from 'node:https'
import type { Duplex } from 'node:stream'
import { giveBack, lendOwn } from '../lent.js'

/** Agents that keep connections. What was received is freed at once: Node's parser copies what is of a body. */
export function sparingAgents(): { readonly 'http:': http.Agent; readonly 'https:': https.Agent } {
  return {
    'http:': sparing(new http.Agent({ keepAlive: true })),
    'https:': sparing(new https.Agent({ keepAlive: true })),
  }
}

function sparing<A extends http.Agent>(agent: A): A {
  const create = agent.createConnection.bind(agent)
  agent.createConnection = (...args) => {
    const socket = create(...args) as Duplex | undefined
    // When the parser is done with it.
    socket?.on('data', (received: Buffer) => process.nextTick(() => giveBack(lendOwn(received))))
    return socket
  }
  return agent
}
