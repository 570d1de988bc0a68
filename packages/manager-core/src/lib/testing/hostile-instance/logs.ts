import { groupOf } from './attack.js'

const request = '{"time":1700000000000,"msg":"request","status":200,"method":"GET"'

const logs = groupOf('logs', [
  {
    name: 'an older log that is the log of another instance',
    plant: 'ln -sfn "$OTHER/logs/application.log" logs/application.log.7',
  },
  { name: 'an older log that is a secret of root', plant: 'ln -sfn "$SECRET" logs/application.log.6' },
  { name: 'an older log without an end', plant: 'ln -sfn /dev/zero logs/application.log.8' },
  { name: 'an older log that is a folder', plant: 'mkdir -p logs/application.log.5' },
  { name: 'an older log that is a pipe', plant: 'test -p logs/application.log.9 || mkfifo logs/application.log.9' },
])

const lines = groupOf('quiet', [
  { name: 'a line of 20 MB', plant: `head -c 20000000 /dev/zero | tr '\\0' a >logs/application.log.4` },
  {
    name: 'lines with commands for a terminal',
    plant: `printf 'a\\033]0;title\\007\\033[2J\\033]52;c;AAAA\\007b\\n\\302\\2331mC1\\n\\342\\200\\256right to left\\nreturn\\rback\\n' >>logs/application.log`,
  },
  {
    name: 'requests with commands for a terminal',
    plant: `printf '%s,"url":"/\\\\u001b]0;title\\\\u0007","user":"\\\\u202eroot","userAgent":"\\\\u001b[2J","address":"\\\\u009b1m"}\\n' '${request}' >logs/application.log.3`,
  },
  {
    name: 'requests named like parts of every object',
    plant: `for name in __proto__ constructor toString; do printf '%s,"url":"/%s","user":"%s","address":"%s"}\\n' '${request}' "$name" "$name" "$name"; done >logs/application.log.2`,
  },
  {
    name: 'a line of 100,000 open brackets',
    plant: `{ printf '{"msg":"request","a":'; head -c 100000 /dev/zero | tr '\\0' '['; echo; } >logs/application.log.1`,
  },
])

const present = [
  ...groupOf('log as a link', [
    { name: 'a log that is a secret of root', plant: 'ln -sfn "$SECRET" logs/application.log' },
  ]),
  ...groupOf('log as a link to write through', [
    { name: 'a log that writes into a file of root', plant: 'ln -sfn "$VICTIM/precious.txt" logs/application.log' },
  ]),
  ...groupOf('log as a pipe', [
    { name: 'a log that is a pipe', plant: 'rm -f logs/application.log; mkfifo logs/application.log' },
  ]),
]

export const logAttacks = [...logs, ...lines, ...present]
