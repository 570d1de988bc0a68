import { readFileSync } from 'node:fs'
import Koa from 'koa'

// The least that sends an answer: the port and a file with its bytes are the arguments.
const [port, file] = process.argv.slice(2)
const bytes = readFileSync(file)
const koa = new Koa()
koa.use((context) => {
  if (context.path !== '/api') return
  context.type = 'json'
  context.body = bytes
})
koa.listen(Number(port), '127.0.0.1')
