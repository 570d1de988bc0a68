import { defineConfig } from 'vitest/config'
import usual from './vitest.config.js'

/** Tests that look for rare events, with the numbers that this takes: `npm run test:deep`. In `npm test` they are small. */
const deep = [
  'tests/consistency/**/*.test.ts',
  'tests/several-servers/*.test.ts',
  'tests/{catalogue-fuzz,filter-fuzz,large-documents,openapi-fuzz,published,records-pages,rest-service,rights-fuzz,setup-machine,tester,website}.test.ts',
  'packages/db-adapters/src/lib/*/store/{adapter,contract.integration}.test.ts',
  'packages/db-adapters/src/lib/joined-transactions.integration.test.ts',
  'packages/rest-core/src/lib/memory/memory-store.test.ts',
  'packages/rest-core/src/lib/service/durable-tasks.simulation.test.ts',
  'packages/manager-core/src/lib/operation/{crash*,faults}.test.ts',
  'packages/manager-core/src/lib/runtime/limits/limits.test.ts',
  'packages/manager-core/src/lib/runtime/tomcat/tomcat-runtime.test.ts',
  'packages/manager-core/src/lib/runtime/swarm/*.test.ts',
  'packages/manager-core/src/lib/instances/{documents,no-gap-real,webapp}.integration.test.ts',
  'packages/manager-core/src/lib/instances/no-gap.test.ts',
  'packages/manager-core/src/lib/runtime/{container-hostile,systemd/systemd,tomcat/tomcat-hostile}.test.ts',
  'packages/manager-core/src/lib/testing/hostile-instance/*.test.ts',
  'packages/manager-core/src/lib/testing/simulation/*.test.ts',
]

const { projects: _none, ...test } = usual.test ?? {}

export default defineConfig({ test: { ...test, include: deep, env: { TEST_DEEP: '1' } } })
