import { expect, it } from 'vitest'
import { createTestManager } from '../testing/create-test-manager.js'

it('config hints at options that the types of targets do not have, or need', async () => {
  const test = await createTestManager({
    refresh: false,
    config: [
      'APPS_TARGETS=nas,store,tape',
      'APPS_TARGET_NAS_TYPE=local',
      'APPS_TARGET_NAS_PAHT=/mnt/nas',
      'APPS_TARGET_STORE_TYPE=s3',
      'APPS_TARGET_STORE_BUCKET=b',
      'APPS_TARGET_STORE_COLOUR=blue',
      'APPS_TARGET_TAPE_TYPE=no-such-plugin',
    ],
  })
  try {
    const { list } = await test.perform('config', { filter: ['APPS_TARGET_'] })
    const hints = (list as { name: string; hint?: string }[]).flatMap(({ name, hint }) => (hint ? [[name, hint]] : []))
    expect(Object.fromEntries(hints)).toEqual({
      APPS_TARGET_NAS_TYPE: 'It also requires APPS_TARGET_NAS_PATH.',
      APPS_TARGET_NAS_PAHT: 'Did you mean "APPS_TARGET_NAS_PATH"?',
      APPS_TARGET_STORE_COLOUR: 'A target of type s3 has no such option.',
      APPS_TARGET_TAPE_TYPE: expect.stringContaining('no-such-plugin'),
    })
  } finally {
    await test.close()
  }
})
