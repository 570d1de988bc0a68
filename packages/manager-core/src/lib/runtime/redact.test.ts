import { describe, expect, it } from 'vitest'
import { redact } from './redact.js'

describe('redact()', () => {
  it.each([
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer ***'],
    ['{"authorization":"Basic dXNlcjpwYXNz","a":1}', '{"authorization":"Basic ***","a":1}'],
    ['authorization=opaque next', 'authorization=*** next'],
    ['Cookie: session=abc; other=d', 'Cookie: ***'],
    ['{"password":"p\\"q","name":"x"}', '{"password":"***","name":"x"}'],
    ['{"msg":"body {\\"password\\":\\"x\\",\\"a\\":1}"}', '{"msg":"body {\\"password\\":\\"***\\",\\"a\\":1}"}'],
    ["login with adminPassword: 'geheim wort' failed", "login with adminPassword: '***' failed"],
    ['GET /a?access_token=abc&b=1', 'GET /a?access_token=***&b=1'],
    ['STEWARD_SERVICE_PASSWORD=xyz', 'STEWARD_SERVICE_PASSWORD=***'],
    ['api_key=1 api-key: 2 apiKey=3', 'api_key=*** api-key: *** apiKey=***'],
    ['connecting to postgres://user:p4ss@host:5432/db', 'connecting to postgres://user:***@host:5432/db'],
    ['client_secret: s3cret', 'client_secret: ***'],
  ])('%s', (line, expected) => expect(redact(line)).toBe(expected))

  it.each([
    'fake application server at http://127.0.0.1:12000',
    'The password is wrong.',
    '{"level":30,"msg":"12 tokens were purged","url":"http://host/a?b=c"}',
    'user@example.com asked for GET http://host:80/x@y',
  ])('leaves %s as it is', (line) => expect(redact(line)).toBe(line))

  // What takes time that grows with the square of the length would not end before the test is given up.
  it('takes time for long lines that grows with their length alone', () => {
    for (const part of ['password=', 'a', 'authorization: ', 'x://', '"', 'token:"\\"'])
      redact(part.repeat(1_000_000 / part.length))
  })
})
