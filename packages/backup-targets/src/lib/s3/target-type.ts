import type { TargetType } from '../target-type.js'
import { createS3Target } from './target.js'
import { options, readSettings } from './settings.js'

export const target: TargetType = {
  name: 's3',
  title: 'Amazon S3, and stores with its API',
  options,
  open: (given, context) => createS3Target(readSettings(given, context)),
  describe: ({ bucket = '', prefix = '', endpoint }) =>
    `s3://${bucket}/${prefix}${endpoint ? ` at ${hostOf(endpoint)}` : ''}`,
}

/** Without a password, which a wrong address may have. */
function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : 'another store'
}
