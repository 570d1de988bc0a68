import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createDevices } from './device.js'

const asking = (cookie?: string) => ({ headers: { ...(cookie !== undefined && { cookie }) } }) as IncomingMessage

function remembered(devices: ReturnType<typeof createDevices>, request = asking(), isSecure = false) {
  let cookie: string | undefined
  const setHeader = (_: string, value: string) => (cookie = value)
  devices.remember(request, { setHeader } as unknown as ServerResponse, isSecure)
  return cookie
}

it('a browser is known by its cookie until the server ends', () => {
  const devices = createDevices('/manager')
  const cookie = remembered(devices) ?? ''
  expect(cookie).toMatch(
    /^steward_device=[\w-]{22}\.[\w-]{43}; Path=\/manager; Max-Age=31536000; HttpOnly; SameSite=Strict$/,
  )
  const [pair = ''] = cookie.split(';')
  const id = devices.of(asking(pair))
  expect(id).toMatch(/^[\w-]{22}$/)
  expect(remembered(devices, asking(pair))).toBeUndefined()
  expect(createDevices('/manager').of(asking(pair))).toBeUndefined()
  expect(remembered(createDevices(''), asking(), true)).toMatch(/; Path=\/;.*; Secure$/)
})

it('others put beside it, or made up, change nothing', () => {
  const devices = createDevices('')
  const [pair = ''] = (remembered(devices) ?? '').split(';')
  const made = `steward_device=${'a'.repeat(22)}.${'b'.repeat(43)}`
  expect(devices.of(asking(made))).toBeUndefined()
  expect(devices.of(asking(`${pair.slice(0, -1)}${pair.endsWith('A') ? 'B' : 'A'}x`))).toBeUndefined()
  expect(devices.of(asking(`a=b; ${made}; ${pair}`))).toBe(devices.of(asking(pair)))
  expect(devices.of(asking(';'.repeat(10_000)))).toBeUndefined()
})
