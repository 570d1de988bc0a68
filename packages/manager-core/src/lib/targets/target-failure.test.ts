import { TargetError } from '@steward/backup-targets'
import { expect, it } from 'vitest'
import { targetFailure } from './target-failure.js'

it.for([
  ['ftp', 'APPS_FTP_TLS'],
  ['swift-alt', 'APPS_SWIFT_TLS'],
  ['my-nas', 'APPS_TARGET_MY_NAS_TLS'],
] as const)('targetFailure() names the variable of an option of %s', ([name, variable]) => {
  const error = new TargetError('ERR_TARGET_SETTINGS', 'x does not encrypt', {
    help: 'With the option "tls" set to "none", all can be read.',
  })
  expect(targetFailure(name, error)).toMatchObject({
    message: `Target "${name}": x does not encrypt.`,
    help: `With ${variable} set to "none", all can be read.`,
    command: 'config --all remote',
  })
})
