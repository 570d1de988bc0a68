import type { Principal } from '@steward/rest-core'
import type { CallService } from './caller.js'
import type { RunningService } from './running-service.js'
import type { TestServer } from './serve.js'

/** What the groups of the suite are given; its members are there when tests run. */
export interface Suite extends Omit<RunningService, 'close'> {
  /** Calls below the base address, e.g. `call('GET', '/Movie/1')`; by default as `ann`, who may do everything. */
  readonly call: CallService
  readonly server: TestServer
  /** May do everything. */
  readonly ann: Principal
}
