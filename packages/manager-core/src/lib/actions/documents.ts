import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Action } from '../action.js'
import { shownBucket } from '../documents/bucket.js'
import { measureDocuments } from '../documents/copy-documents.js'
import { countText, sizeText } from '../domain/readable.js'
import { moveDocumentsKind } from '../instances/move-documents.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'

/** Whether an address of a bucket is that of the manager, or a place in it. */
function isBelow(to: string, own: string | undefined): boolean {
  const [there, here] = [to, own ?? ''].map((text) => URL.parse(text))
  if (!there || !here) return false
  const folder = here.pathname.replace(/\/*$/, '/')
  return (
    there.protocol === here.protocol &&
    there.host === here.host &&
    there.username === here.username &&
    there.password === here.password &&
    there.search === here.search &&
    `${there.pathname.replace(/\/*$/, '')}/`.startsWith(folder)
  )
}

export const documentActions: readonly Action[] = [
  defineAction({
    name: 'documents',
    group: 'Instances',
    summary: 'Show where the documents of an instance are, and how many',
    description: 'In its folder, or in the bucket of SERVICE_DOCUMENTS.',
    parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance' }],
    ability: 'read',
    mutating: false,
    examples: ['documents demo', 'documents demo --json'],
    view: { type: 'record' },
    async handler({ context, input }) {
      const { id, name } = input.name
      const { folder, data } = context.home.instance(id)
      const { documents: place } = await context.settings.instance(folder)
      const found = place === undefined ? { folder: join(data, 'documents') } : { place }
      const { documents, bytes } = await measureDocuments(context, found)
      const at = place === undefined ? 'folder' : shownBucket(place)
      const where = place === undefined ? 'its folder' : at
      return {
        message: `"${name}" has ${countText(documents, 'document')} (${sizeText(bytes)}) in ${where}.`,
        item: { name, place: at, documents, bytes },
      }
    },
  }),
  defineAction({
    name: 'movedocuments',
    group: 'Instances',
    summary: 'Move the documents of an instance to a bucket, or back to its folder',
    description:
      'Most documents are copied while the instance runs. It is stopped to copy those added since, and started ' +
      'again with the new place; if it is not healthy there, it returns to the old one. Objects left in a bucket are ' +
      'removed a day later by "refresh". Runs the hooks pre-start.sh and post-start.sh when it starts. A bucket other ' +
      'than that of APPS_DOCUMENTS requires the ability sensitive as well.',
    parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance' }],
    options: [
      {
        name: 'to',
        type: 'text',
        summary: 'Address of a bucket, s3://bucket/prefix?endpoint=…, or "folder" (required)',
      },
    ],
    ability: 'admin',
    mutating: true,
    examples: [
      "movedocuments demo --to 's3://papers/shop?endpoint=https://s3.example.org'",
      'movedocuments demo --to folder',
    ],
    view: { type: 'record' },
    async handler(call) {
      const { context, input } = call
      const { id, name } = input.name
      if (input.to === undefined)
        throw new ManagerError('ERR_USAGE', 'Name the place for the documents with --to.', {
          help: 'The address of a bucket, s3://bucket/prefix?endpoint=…, or "folder".',
        })
      const to = input.to === 'folder' ? null : input.to
      const { address } = context.settings.global.documents
      if (to !== null && !isBelow(to, address) && !call.caller.grant.abilities.has('sensitive'))
        throw new ManagerError(
          'ERR_ACCESS',
          'Documents leave this manager with a bucket other than that of APPS_DOCUMENTS. This requires the ability "sensitive", which you do not have.',
        )
      return runOperation(call, moveDocumentsKind, { id, name, to }, async () => {
        const { documents } = await context.settings.instance(context.home.instance(id).folder)
        const at = documents === undefined ? 'folder' : shownBucket(documents)
        return {
          message: `The documents of "${name}" are in ${documents === undefined ? 'its folder' : at} now.`,
          item: { name, place: at },
        }
      })
    },
  }),
]
