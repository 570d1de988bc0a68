import { expect, it } from 'vitest'
import { Secret } from '../domain/secret.js'
import { webhookServer } from './alerts-for-test.js'
import { postWebhook } from './post-webhook.js'

const never = new AbortController().signal
const post = (address: string) => postWebhook(new Secret(address), { text: 'down' }, never)

it('posts JSON, and sends user and password of the address as credentials', async () => {
  const { address, posted, calls } = await webhookServer()
  expect(await post(`http://me:p%40ss@${address}/hook?token=t0ken`)).toBeUndefined()
  expect(posted).toEqual([{ text: 'down' }])
  expect(calls).toEqual([
    { path: '/hook?token=t0ken', authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
  ])
})

it('says why it was not taken, without anything of the address', async () => {
  const { address } = await webhookServer([500, 302])
  const secret = 's3cr3t'
  const said = [
    await post(`http://${secret}:${secret}@${address}/${secret}?${secret}`),
    await post(`http://${address}/${secret}`),
    await post(`http://127.0.0.1:2/${secret}`),
    await post(`http://${secret}.invalid/`),
    await post(`file:///${secret}`),
    await post(secret),
  ]
  expect(said.map((text) => text?.replace(/.*APPS_ALERTWEBHOOK/, ''))).toEqual([
    ' answered with 500.',
    ' answered with 302.',
    ': ECONNREFUSED.',
    expect.stringMatching(/^: (ENOTFOUND|EAI_AGAIN)\.$/),
    ' is not a valid address.',
    ' is not a valid address.',
  ])
  expect(said.join()).not.toContain(secret)
})
