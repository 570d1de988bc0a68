import type { Suite } from './http-suite.js'

export function testDocuments(_suite: Suite): void {}
