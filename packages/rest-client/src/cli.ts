#!/usr/bin/env node
import { isSupportedNode, unsupportedNode } from './lib/node-version.js'

if (isSupportedNode(process.versions.node)) {
  const { main } = await import('./main.js')
  process.exitCode = await main(process.argv.slice(2))
} else {
  process.stderr.write(unsupportedNode('rest-client', process.versions.node))
  process.exitCode = 1
}
