import { createClient } from '@steward/rest-client'
import { credentials, noteAnswer, type client } from './session.js'
import { settings } from './settings.js'
import { viewAs } from './view-as.js'

/** Part of a document that has been sent, from 0 to 1. */
export type OnProgress = (part: number) => void

/** The service for documents: `fetch` of browsers does not say how much of them was sent. */
export function uploadingClient(onProgress: OnProgress): typeof client {
  return createClient({
    url: settings.rest,
    credentials,
    viewAs: () => viewAs.get()?.login,
    retries: 0,
    fetch: (address, init) => send(String(address), init, onProgress),
  })
}

function send(address: string, init: RequestInit = {}, onProgress: OnProgress): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(init.method ?? 'GET', address)
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
    request.responseType = 'blob'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    request.addEventListener('load', () => {
      const answer = new Response(request.response as Blob, { status: request.status })
      noteAnswer(answer)
      resolve(answer)
    })
    request.addEventListener('error', () => reject(new TypeError('The connection was lost.')))
    request.addEventListener('abort', () => reject(init.signal?.reason as Error))
    init.signal?.addEventListener('abort', () => request.abort())
    request.send(init.body as Blob)
  })
}
