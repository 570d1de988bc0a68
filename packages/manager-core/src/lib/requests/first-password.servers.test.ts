import { expect, onTestFinished, test } from 'vitest'
import { createRealManager } from '../testing/real-manager.js'
import { changeFirstPassword } from './first-password.js'

test('changeFirstPassword() of a real application obeys its rule, and overwrites no password but the first one', async () => {
  const { perform, instance, context, close } = await createRealManager()
  onTestFinished(() => close())
  await perform('add', { name: 'demo', from: '1.0' })
  const change = (password: string) => changeFirstPassword(context, instance('demo'), password)
  expect(await change('1234567')).toEqual({ result: 'short', least: 8 })
  expect(await change('correct horse ')).toBeUndefined()
  const credentials = Buffer.from('admin:correct horse ').toString('base64')
  const answer = await fetch(`http://127.0.0.1:${instance('demo').port}/api/rest/User`, {
    headers: { Authorization: `Basic ${credentials}` },
  })
  expect(answer.status).toBe(200)
  expect(await change('another password')).toEqual({ result: 'changed' })
  await perform('stop', { name: 'demo' })
  expect(await change('another password')).toEqual({ result: 'silent' })
})
