import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { javaHome, quickJava } from '../runtime/tomcat/tomcat-for-test.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
const example = fileURLToPath(new URL('../../../../../examples/java-notes/app', import.meta.url))

/** A manager whose version 1.0 is the example; `change` makes a new revision of its template. */
export async function managerOfWebapps(config: readonly string[] = []) {
  const test = await createTestManager({
    config: ['export APPS_HEALTHWINDOW=0', ...config],
    version: ['APPS_TEMPLATE=folder:../template', `APPS_JDK=${javaHome()}`, `JAVA_OPTS="${await quickJava()}"`],
    refresh: false,
  })
  const { template } = test
  rmSync(template, { recursive: true })
  cpSync(example, template, { recursive: true })
  await test.context.templates.refresh()
  const webXml = join(template, 'WEB-INF/web.xml')
  return {
    ...test,
    async change(text: (before: string) => string) {
      writeFileSync(webXml, text(readFileSync(webXml, 'utf8')))
      expect((await test.context.templates.refresh()).versions[0]?.result).toBe('updated')
    },
  }
}

export const notesOf = async (test: TestManager, name: string, context = '') =>
  (await fetch(`http://127.0.0.1:${test.instance(name).port}${context}/notes`)).text()

export async function note(test: TestManager, name: string, text: string): Promise<void> {
  const body = new URLSearchParams({ note: text })
  const { status } = await fetch(`http://127.0.0.1:${test.instance(name).port}/notes`, { method: 'POST', body })
  expect(status).toBe(201)
}
