import { groupOf } from './attack.js'

/** Answers everything well, and keeps what it was sent. */
const catching = (port: string) => `
  listen(Number(process.env.${port}), (request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      appendFileSync('data/caught', JSON.stringify([request.url, request.headers, body]) + '\\n')
      response.end('[platform]\\nstatus=OK\\nversion=caught\\n[application]\\nname=caught\\n')
    })
  })`

const others = groupOf('quiet', [
  { name: 'listens in the place of another instance', during: { turn: catching('NEIGHBOUR_PORT') } },
])

/** What its own server answers. */
const answers = (text: string) => `
  for (const pid of servers()) kill(pid, 'SIGKILL')
  listen(Number(process.env.PORT), (request, response) => { ${text} })`

const own = [
  ...groupOf('answers: endless', [
    {
      name: 'answers without an end',
      during: {
        turn: answers(
          `const more = () => { while (response.write('x'.repeat(65536))); response.once('drain', more) }; more()`,
        ),
      },
    },
  ]),
  ...groupOf('answers: slow', [
    { name: 'answers a byte now and then', during: { turn: answers(`setInterval(() => response.write('x'), 500)`) } },
  ]),
  ...groupOf('answers: redirections', [
    {
      name: 'sends callers to another instance',
      during: {
        turn: answers(
          `response.writeHead(307, { Location: 'http://127.0.0.1:' + process.env.OTHER_PORT + '/health' }).end()`,
        ),
      },
    },
  ]),
  ...groupOf('answers: for a terminal', [
    {
      name: 'answers with commands for a terminal',
      during: {
        turn: answers(
          `response.writeHead(503).end('[platform]\\nstatus=KO \\u001b]0;title\\u0007\\u202e\\u009b1m\\nversion=\\u001b[2J\\n')`,
        ),
      },
    },
  ]),
  ...groupOf('answers: of another kind', [
    {
      name: 'answers with bytes that are not compressed text',
      during: {
        turn: answers(
          `response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': '5' }).end('\\u0000\\u0001\\u0002\\u0003\\u0004')`,
        ),
      },
    },
  ]),
]

export const portAttacks = [...others, ...own]
