import { Agent, get } from 'node:http'
import { parentPort } from 'node:worker_threads'

interface Work {
  readonly port: number
  readonly base: string
  readonly requests: number
  readonly objects: number
  readonly rows: number
}

const connections = 8
const agent = new Agent({ keepAlive: true, maxSockets: connections })

parentPort?.on('message', async ({ port, base, requests, objects, rows }: Work) => {
  let next = 0
  const one = async (): Promise<void> => {
    for (let at = next++; at < requests; at = next++)
      await call(port, `${base}/Thing${at % objects}/${1 + (at % rows)}`)
  }
  await Promise.all(Array.from({ length: connections }, one))
  parentPort?.postMessage('done')
})

function call(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ agent, port, path, host: '127.0.0.1' }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}.`))
      response.on('end', resolve).on('error', reject).resume()
    }).on('error', reject)
  })
}
