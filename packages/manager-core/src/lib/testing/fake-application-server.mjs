// Stands in for app-server where the application is not the point: same command line, environment and addresses, starts
// in about 60 ms, and fails as `fake.json` in the application's folder says (all are optional):
//   start: "fail" ends with code 1 and a message; "hang" never listens
//   startMs: waits that long before it listens
//   crashMs: ends with code 1 this long after it started to listen
//   health: "KO" or another status, answered with 503; "hang" never answers
//   migrate: SQL for the SQLite database, run at each start
//   waiting: how much waiting work it reports
//   model: the data model that it reports
//   io: by service, what it is refused with
//   problems: what is wrong with it, for --check and --plan
//   documentsPackage: the package that keeps its documents, for --check and --plan
//   changes: what a start would change in its database, for --plan; what is destructive is refused without --destructive
//   migrations: those that a start would run, for --plan
// With --check and --plan it only reports that; --sync runs `migrate`. As with an application that has timers, it does not end by
// itself then. With --describe it only prints its data model and the object Note; --dump and --load take the notes out and in. At /version it returns that of its app.yaml and its pid, after `ms`, and notes a POST with its `id`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

// Imported it takes 40 ms more.
const { createServer } = process.getBuiltinModule('node:http')
const [app] = process.argv.slice(2)
const {
  STEWARD_DATABASE: url = '',
  STEWARD_HOST: host = '127.0.0.1',
  STEWARD_PORT: port = '0',
  STEWARD_SERVICE_USER: user = '',
  STEWARD_SERVICE_PASSWORD: password = '',
  STEWARD_ADMIN_LOGIN: adminLogin = '',
} = process.env
let { STEWARD_ADMIN_PASSWORD: adminPassword = '' } = process.env
const startedAt = new Date()
const fake = read()
const stay = setInterval(() => undefined, 60_000)
process.once('SIGTERM', () => {
  tell('stopped')
  process.exit(0)
})

const isPlan = process.argv.includes('--plan')
if (isPlan || process.argv.includes('--check')) {
  const {
    problems = [],
    documentsPackage,
    changes: database = { steps: [], leftover: [], losses: [] },
    migrations,
  } = fake
  tell(
    JSON.stringify({
      format: 'steward-check',
      version: 1,
      problems,
      documentsPackage,
      ...(isPlan && problems.length === 0 && { database, migrations }),
    }),
  )
} else if (process.argv.includes('--sync')) {
  openDatabase()
  tell('The database fits the application.')
} else if (process.argv.includes('--describe')) {
  const documents = join(process.argv[process.argv.indexOf('--data') + 1], 'documents')
  tell(
    JSON.stringify({
      format: 'steward-application',
      version: 1,
      name: 'fake',
      model: modelOf(),
      documents,
      objects: [
        {
          ...{ name: 'Note', table: 'note', system: false, key: [] },
          fields: [
            { ...{ name: 'id', label: 'Id', column: 'id', type: 'id' }, technical: true },
            { ...{ name: 'text', label: 'Text', column: 'text', type: 'text' }, technical: false },
            { ...{ name: 'updated_dt', label: 'Updated', column: 'updated_dt', type: 'datetime' }, technical: true },
          ],
        },
      ],
    }),
  )
  clearInterval(stay)
} else if (process.argv.includes('--dump')) dump()
else if (process.argv.includes('--load')) await load()
else if (fake.start === 'hang') tell('hangs, as it was told')
else await serve()

async function serve() {
  if (fake.startMs) await sleep(fake.startMs)
  if (fake.start === 'fail') {
    tell('The fake application server fails to start, as it was told.')
    process.exit(1)
  }
  openDatabase()
  const server = createServer(answer)
  server.on('error', (error) => {
    tell(error.message)
    process.exit(1)
  })
  // A socket that listens already.
  if (process.env.LISTEN_PID === String(process.pid)) createServer(answer).listen({ fd: 3 })
  server.listen(Number(port), host, () => {
    tell(`fake application server at http://${host}:${server.address().port}`)
    clearInterval(stay)
    if (fake.crashMs) setTimeout(() => process.exit(1), fake.crashMs)
  })
}

/** Nothing of it changes when it starts again. */
function openDatabase() {
  if (!url.startsWith('sqlite:')) return
  const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5000 })
  database.exec('create table if not exists note (id integer primary key, text text not null)')
  database.exec("insert into note (id, text) select 1, 'first' where not exists (select 1 from note)")
  if (fake.migrate) database.exec(fake.migrate)
  database.close()
}

/** Its notes in the format of records. */
function dump() {
  clearInterval(stay)
  const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5000, readOnly: true })
  const rows = database.prepare('select id, text from note').all()
  const lines = [
    { format: 'steward-records', version: 1 },
    { object: 'Note', fields: ['id', 'text'] },
    ...rows.map(({ id, text }) => [String(id), text]),
    { end: { Note: rows.length } },
  ]
  for (const line of lines) tell(JSON.stringify(line))
}

/** Fills its database from a dump on the standard input. */
async function load() {
  clearInterval(stay)
  const input = (await Array.fromAsync(process.stdin.setEncoding('utf8'))).join('')
  const database = new DatabaseSync(url.slice('sqlite:'.length))
  database.exec('create table note (id integer primary key, text text not null)')
  for (const line of input.split('\n').filter((one) => one.startsWith('[')))
    database.prepare('insert into note (id, text) values (?, ?)').run(...JSON.parse(line))
  database.close()
}

/** For its log. */
function tell(text) {
  process.stdout.write(`${text}\n`)
}

function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const { health = 'OK' } = read()
  const send = (status, type, body) => response.writeHead(status, { 'Content-Type': type }).end(body)
  const json = (status, body) => send(status, 'application/json', JSON.stringify(body))
  if (['/health', '/ping'].includes(pathname) && health === 'hang') return
  const healthy = health === 'OK'
  if (pathname === '/ping') return json(healthy ? 200 : 503, { status: healthy ? 'OK' : 'KO' })
  if (pathname === '/health') return send(healthy ? 200 : 503, 'text/plain', healthText(health))
  if (pathname === '/io') return io(request, searchParams, send)
  if (pathname === '/api/rest') return json(200, [])
  if (pathname === `/api/rest/User/_key/${adminLogin}`) return changePassword(request, json)
  if (pathname === '/version') return version(request, searchParams, json)
  return json(404, { error: { status: 404, message: 'Not found' } })
}

/** Describes what is in its folder now, so that it is noticed when it was started with other files. */
async function version(request, parameters, json) {
  for await (const _chunk of request);
  if (request.method === 'POST') tell(`posted ${parameters.get('id')}`)
  await sleep(Number(parameters.get('ms')))
  json(200, { version: /version: (.*)/.exec(readFileSync(join(app, 'app.yaml'), 'utf8'))?.[1], pid: process.pid })
}

/** As the real one answers administrators. */
async function changePassword(request, json) {
  const body = await Array.fromAsync(request.setEncoding('utf8'))
  const expected = `Basic ${Buffer.from(`${adminLogin}:${adminPassword}`).toString('base64')}`
  if (request.headers.authorization !== expected) return json(401, { status: 401 })
  const { usr_password: wanted } = JSON.parse(body.join(''))
  const text = 'Field "usr_password" must have at least 8 characters.'
  if (wanted.length < 8) return json(400, { messages: [{ code: 'ERR_LENGTH', text }] })
  adminPassword = wanted
  json(200, {})
}

function modelOf() {
  return fake.model ?? 'notes'
}

function io(request, parameters, send) {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  if (request.method !== 'POST') return send(405, 'text/plain', 'Send a POST.')
  if (!user || request.headers.authorization !== expected) return send(401, 'text/plain', 'Unauthorized')
  let body = ''
  request.setEncoding('utf8').on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const [, field] = /name="service"\r\n\r\n([^\r]*)/.exec(body) ?? []
    const service = field ?? parameters.get('service') ?? new URLSearchParams(body).get('service')
    tell(`io ${service}`)
    const refusal = fake.io?.[service]
    send(refusal ? 500 : 200, 'text/plain', refusal ?? 'OK')
  })
}

function healthText(status) {
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  const mebibytes = (bytes) => Math.round(bytes / 1048576)
  return [
    '[platform]',
    `status=${status}`,
    'version=0.0.0',
    '',
    '[application]',
    'name=fake',
    'version=1.0.0',
    `model=${modelOf()}`,
    '',
    '[server]',
    `type=Node.js ${process.version}`,
    `startdate=${startedAt.toISOString()}`,
    `uptime=${Math.round(process.uptime())}`,
    '',
    '[process]',
    `pid=${process.pid}`,
    `rss=${mebibytes(rss)}`,
    `heapused=${mebibytes(heapUsed)}`,
    `heaptotal=${mebibytes(heapTotal)}`,
    '',
    '[activity]',
    `waiting=${read().waiting ?? 0}`,
    '',
  ].join('\n')
}

function read() {
  try {
    return JSON.parse(readFileSync(join(app, 'fake.json'), 'utf8'))
  } catch {
    return {}
  }
}
