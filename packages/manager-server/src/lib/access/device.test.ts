import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { Secret } from '@steward/manager-core'
import { createDevices } from './device.js'

const secret = new Secret('s'.repeat(43))
const asking = (cookie?: string) => ({ headers: { ...(cookie !== undefined && { cookie }) } }) as IncomingMessage

function remembered(devices: ReturnType<typeof createDevices>, request = asking(), isSecure = false) {
  let cookie: string | undefined
  const appendHeader = (_: string, value: string) => (cookie = value)
  devices.remember(request, { appendHeader } as unknown as ServerResponse, isSecure)
  return cookie
}

it('a browser is known by its cookie, also when the server was started again, until the password is another one', () => {
  const devices = createDevices('/manager', secret, () => 'password')
  const cookie = remembered(devices) ?? ''
  expect(cookie).toMatch(
    /^steward_device=[\w-]{22}\.[\w-]{43}; Path=\/manager; Max-Age=31536000; HttpOnly; SameSite=Strict$/,
  )
  const [pair = ''] = cookie.split(';')
  const id = devices.of(asking(pair))
  expect(id).toMatch(/^[\w-]{22}$/)
  expect(remembered(devices, asking(pair))).toBeUndefined()
  expect(createDevices('/manager', secret, () => 'password').of(asking(pair))).toBe(id)
  expect(createDevices('/manager', new Secret('another'), () => 'password').of(asking(pair))).toBeUndefined()
  expect(createDevices('/manager', secret, () => 'another').of(asking(pair))).toBeUndefined()
  expect(
    remembered(
      createDevices('', secret, () => 'password'),
      asking(),
      true,
    ),
  ).toMatch(/; Path=\/;.*; Secure$/)
})

it('others put beside it, or made up, change nothing', () => {
  const devices = createDevices('', secret, () => 'password')
  const [pair = ''] = (remembered(devices) ?? '').split(';')
  const made = `steward_device=${'a'.repeat(22)}.${'b'.repeat(43)}`
  expect(devices.of(asking(made))).toBeUndefined()
  expect(devices.of(asking(`${pair.slice(0, -1)}${pair.endsWith('A') ? 'B' : 'A'}x`))).toBeUndefined()
  expect(devices.of(asking(`a=b; ${made}; ${pair}`))).toBe(devices.of(asking(pair)))
  expect(devices.of(asking(';'.repeat(10_000)))).toBeUndefined()
})
