/** @module-tag mixed */
import { expect, it } from 'vitest'
import { operationKinds } from '../actions/kinds.js'
import { crashScenarios } from '../testing/crash-scenarios.js'
import { testCrashes } from '../testing/crash-suite.js'

it('every kind of operation is killed', { tags: 'core' }, () => {
  // Only root can do these, see accounts/isolate-killed.servers.test.ts.
  const ofRoot = ['isolate', 'unisolate']
  // It needs a bucket, see instances/documents.servers.test.ts.
  const ofBuckets = ['movedocuments']
  expect(new Set([...crashScenarios.map(({ kind }) => kind), ...ofRoot, ...ofBuckets])).toEqual(
    new Set(operationKinds.keys()),
  )
})

testCrashes(['save', 'start', 'stop', 'restart', 'app-start', 'app-stop', 'app-debug'])
