import { expect, it } from 'vitest'
import { runToEnd } from './run-tool.js'

it.each([
  [
    'a statement and a mark below the error',
    'ERROR:  relation "x" does not exist\nLINE 1: select from x;\n      ^',
    'ERROR:  relation "x" does not exist',
  ],
  ['lines without an error', 'Connecting\nno such table', 'no such table'],
])('runToEnd() of a program that fails with %s names the error', async (_what, printed, named) => {
  const call = { command: '/bin/sh', args: ['-c', `cat >&2 <<'END'\n${printed}\nEND\nexit 3`] }
  await expect(runToEnd(call)).rejects.toMatchObject({
    message: `/bin/sh failed with exit code 3: ${named}`,
    output: printed,
  })
})
