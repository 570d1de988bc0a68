// Checks what users read (texts in code, docs, READMEs, changesets) for words that the glossary of CONTRIBUTING.md replaces.
import path from 'node:path'
import { checkWords } from './words/check.mjs'

const findings = checkWords(path.dirname(import.meta.dirname))
for (const { file, line, found, say } of findings)
  process.stderr.write(`${file}:${line}: “${found}”: write ${say}; see "Words" in CONTRIBUTING.md.\n`)
if (findings.length > 0) process.exitCode = 1
