import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { testTemplateSource } from '../testing/template-source-suite.js'
import { createFolderSource } from './folder-source.js'

testTemplateSource('folder', () => {
  const base = mkdtempSync(join(tmpdir(), 'steward-source-'))
  return {
    source: createFolderSource({ base }),
    missing: 'folder:nowhere',
    publish(files) {
      rmSync(join(base, 'shop'), { recursive: true, force: true })
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(base, 'shop', path)), { recursive: true })
        writeFileSync(join(base, 'shop', path), content)
      }
      return 'folder:shop'
    },
    close: () => rmSync(base, { recursive: true }),
  }
})
