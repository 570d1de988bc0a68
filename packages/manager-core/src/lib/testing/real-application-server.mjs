// The built application server, whose hashes of passwords cost next to nothing.
import '../../../../../tests/programs/cheap-passwords.mjs'

await import('../../../../app-server/dist/cli.js')
