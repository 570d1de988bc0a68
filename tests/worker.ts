// Runs in every test process: when the test runner was killed, end too, and with us the servers that we started.
process.once('disconnect', () => process.exit(1))
