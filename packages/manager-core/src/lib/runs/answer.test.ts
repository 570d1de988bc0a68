import { expect, it } from 'vitest'
import { ManagerError } from '../../errors.js'
import { failureAnswerOf } from './answer.js'

it('failureAnswerOf() has what a failure says, and no members for what it does not say', () => {
  const details = { help: 'Do it again.', command: 'start one', output: 'no space left' }
  expect(failureAnswerOf(new ManagerError('ERR_FAILED', 'It failed.', details))).toStrictEqual({
    status: 1,
    code: 'ERR_FAILED',
    message: 'It failed.',
    ...details,
  })
  expect(failureAnswerOf(new ManagerError('ERR_FAILED', 'It failed.'))).toStrictEqual({
    status: 1,
    code: 'ERR_FAILED',
    message: 'It failed.',
  })
})
