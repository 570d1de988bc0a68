// Stands in for `node:os`: a machine that is the same wherever the simulation runs.
import type * as Os from 'node:os'
import { temporaryFolder } from '../disk.js'

export * from 'node:os'

const core: Os.CpuInfo = { model: 'simulated', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }

export const cpus = (): Os.CpuInfo[] => Array.from({ length: 4 }, () => core)
export const availableParallelism = (): number => 4
export const hostname = (): string => 'simulated'
export const tmpdir = (): string => temporaryFolder
