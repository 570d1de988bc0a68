#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { main } from './main.js'

enableCompileCache()
const code = await main(process.argv.slice(2))
process.exitCode = code
// A command that was ended by a signal does not wait for what it left.
if (code > 128) process.exit()
