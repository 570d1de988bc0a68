import { callChecks } from './call-checks.js'
import type { Check } from './check.js'
import { listChecks } from './list-checks.js'
import { objectChecks } from './object-checks.js'
import { uploadChecks } from './upload-checks.js'

/** All that the contract asks for, the simple things first. Names are stable: they are shown to users. */
export const checks: readonly Check[] = Object.freeze([...objectChecks, ...listChecks, ...uploadChecks, ...callChecks])
