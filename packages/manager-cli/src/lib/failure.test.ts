import { expect, it } from 'vitest'
import { ManagerError } from '@steward/manager-core/errors'
import { failureJson, failureOf, failureText } from './failure.js'

const parts = {
  title: 'crm did not start',
  reason: 'app.yaml:1:10: [ must end with ]',
  ending: 'Its application ended soon after its start. All changes were rolled back.',
  help: 'See its log for details.',
  command: 'logs crm',
}

const failed = (output: string) =>
  failureOf(new ManagerError('ERR_ROLLED_BACK', 'Restart instance "crm": all of it.', { ...parts, output }))

it('failureText() says a failure that is known in parts once', () => {
  expect(failureText(failed(`reading app.yaml\n${parts.reason}\n`))).toBe(
    [
      'manager: crm did not start.',
      '  Cause: app.yaml:1:10: [ must end with ]',
      '  Its application ended soon after its start. All changes were rolled back.',
      '  | reading app.yaml',
      '  | app.yaml:1:10: [ must end with ]',
      '  See its log for details.',
      '  Try: manager logs crm',
      '',
    ].join('\n'),
  )
  expect(failureText(failed(parts.reason))).not.toContain('|')
})

it('failureJson() has the whole message, and its parts beside it', () => {
  expect(JSON.parse(failureJson(failed('x')))).toMatchObject({
    message: 'Restart instance "crm": all of it.',
    title: parts.title,
    cause: parts.reason,
    ending: parts.ending,
  })
})
