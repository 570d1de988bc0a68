import { configFor, tests } from './tests/tiers.js'

/** Tests that look for rare events, with the numbers that this takes; elsewhere they are small. */
const deep = tests(
  'tests/consistency/**/*',
  'tests/several-servers/*',
  'tests/{catalogue-fuzz,filter-fuzz,large-documents,openapi-fuzz,records-pages,rest-service,rights-fuzz,round-trip,tester,website}',
  'packages/db-adapters/src/lib/*/store/{adapter,contract}',
  'packages/db-adapters/src/lib/{joined-transactions,shown-values}.integration',
  'packages/rest-core/src/lib/memory/memory-store',
  'packages/rest-core/src/lib/service/durable-tasks.simulation',
  'packages/manager-core/src/lib/operation/{crash*,faults}',
  'packages/manager-core/src/lib/runtime/limits/limits',
  'packages/manager-core/src/lib/runtime/{swarm/*,systemd/systemd}',
  'packages/manager-core/src/lib/instances/{documents,no-gap,no-gap-real,webapp}',
  'packages/manager-core/src/lib/testing/{hostile-instance,simulation}/*',
)

export default configFor('deep', [...deep, ...tests('**/*.deep')])
