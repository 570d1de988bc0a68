// Checks what users read (texts in code, docs, READMEs, changesets) for words that the glossary replaces, and for typos.
import path from 'node:path'
import { checkComments, checkWords } from './words/check.mjs'
import { checkSpelling } from './words/spelling.mjs'

const root = path.dirname(import.meta.dirname)
const findings = [...checkWords(root), ...checkComments(root)]
for (const { file, line, found, say } of findings)
  process.stderr.write(`${file}:${line}: “${found}”: write ${say}; see docs/contributing/words.md.\n`)
const misspellings = await checkSpelling(root)
for (const { file, line, word } of misspellings)
  process.stderr.write(`${file}:${line}: “${word}” is misspelt, or missing in scripts/words/dictionary.txt.\n`)
if (findings.length + misspellings.length > 0) process.exitCode = 1
