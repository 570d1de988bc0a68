export { checkKey, isKey, uploadId } from './lib/key.js'
export { TargetError } from './lib/target-error.js'
export type { TargetErrorCode, TargetErrorOptions } from './lib/target-error.js'
export type {
  BackupTarget,
  CallOptions,
  GetOptions,
  HashAlgorithm,
  Hashes,
  ListOptions,
  ListPage,
  PutOptions,
  Source,
  StoredObject,
  SweepOptions,
  TargetCapabilities,
} from './lib/target.js'
export type { TargetContext, TargetOption, TargetType } from './lib/target-type.js'
export { openTarget, targetTypeOf, builtInTypes } from './lib/registry.js'
export type { OpenTargetOptions } from './lib/registry.js'
export { findPackageEntry } from './lib/plugin.js'
export { useHostPackages } from './lib/host-packages.js'
export { createLimit } from './lib/reliable/limit.js'
export type { Limit } from './lib/reliable/limit.js'
export { reliable } from './lib/reliable/reliable.js'
export type { ReliableOptions } from './lib/reliable/reliable.js'
export { probeTarget } from './lib/checks/probe.js'
export type { CheckReport, ProbeOptions } from './lib/checks/probe.js'
export { belowBucket, bucketOptions } from './lib/s3/address.js'
export { bytesSource, fileSource, readSource, streamSource } from './lib/sources.js'
export { giveBack } from './lib/lent.js'
export { wholeStream } from './lib/whole-stream.js'
export type { WholeStreamOptions } from './lib/whole-stream.js'
