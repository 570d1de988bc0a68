import type { Variable } from '../variable.js'
import { secret, text } from './rows.js'

/** Where documents of instances are kept. Not in the requirements. */
export const documentsTable = {
  APPS_DOCUMENTS: text(
    'Documents',
    'Bucket for documents of new instances, s3://bucket/prefix?endpoint=…; not set: their folders',
  ),
  APPS_DOCUMENTS_ACCESS_KEY: text(
    'Documents',
    'Access key of buckets of documents; not set: the usual chain of AWS programs',
  ),
  APPS_DOCUMENTS_SECRET_KEY: secret('Documents', 'Secret key of buckets of documents'),
} as const satisfies Readonly<Record<string, Variable>>
