import fc from 'fast-check'

// Runs in every test process: when the test runner was killed, end too, and with us the servers that we started.
// One process may run several files.
const listens = Symbol.for('steward.tests.disconnect')
if (!Reflect.has(globalThis, listens)) process.once('disconnect', () => process.exit(1))
Reflect.set(globalThis, listens, true)

// They make hundreds of instances; those that are about accounts ask for them in config.sh.
process.env['APPS_ISOLATION'] ??= 'no'

// The same cases on every run, so that a run proves something about a change; another seed looks further.
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_121) })
