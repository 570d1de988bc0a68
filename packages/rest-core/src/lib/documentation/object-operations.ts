import { answer, errors, header, jsonContent, pageLinks } from './answers.js'
import { reference } from './description.js'
import type { Access } from '../rights/access.js'
import type { Schema } from './description.js'
import { exactly, listOf } from './general-schemas.js'
import { mayWrite, schemaNames } from './object-schemas.js'
import { headerParameter, recordContent } from './parts.js'
import type { Describe } from './parts.js'
import type { ServiceOperation } from './service-interface.js'

const anyBytes: Schema = {}
const contentTag = header('ETag', 'Tag of the content.')
const disposition = header('Content-Disposition', 'Name of the file.')
const contentRange = header('Content-Range', 'Range of bytes, and total size.')
const ifNoneMatch = headerParameter('If-None-Match', "Tag of the client's copy: 304 if it is unchanged.")

/** Operations on an object that are not about its records alone: what describes it, its index, its documents. */
export const objectOperations = {
  metadata(access, { path }) {
    if (!access.may('R')) return undefined
    const content = jsonContent(reference('rest.Metadata'))
    return path.includes('{row_id}')
      ? {
          id: 'metadata-record',
          summary: 'Get the available actions of a record',
          text: 'The metadata of the object, with the state of the record, the transitions from it, and the actions that can run on it. The same as getting it with `_metadata=true`.',
          answers: [answer('The metadata.', content), ...errors(404)],
        }
      : {
          id: 'metadata',
          summary: 'Get the definition of the object',
          text: 'The same as a search with `_metadata=true`.',
          answers: [answer('The metadata.', content), ...errors()],
        }
  },

  documentation: () => ({ id: 'documentation', ...documentationContents }),

  indexSearch: (access) =>
    access.searchesIndex
      ? {
          id: 'index-search',
          summary: 'Find records by words',
          text: 'Best first; without pages 1,000 at most. The same as a search with `_indexsearch`.',
          filtered: true,
          answers: [
            answer('The records found.', jsonContent(indexAnswer(reference(schemaNames.record(access.object.name)))), [
              pageLinks,
            ]),
            ...errors(),
          ],
        }
      : undefined,

  download: (access) =>
    hasDocuments(access, ['document', 'image'])
      ? {
          id: 'document',
          summary: 'Get the content of a document or image',
          parameters: [
            ifNoneMatch,
            headerParameter('Range', 'A part of the content, e.g. `bytes=0-999`.'),
            headerParameter(
              'If-Range',
              'Tag of the content that the range belongs to; otherwise the whole content is sent.',
            ),
          ],
          answers: [
            answer('The content.', { '*/*': anyBytes }, [contentTag, disposition]),
            answer('The part.', { '*/*': anyBytes }, [contentTag, disposition, contentRange], 206),
            answer("The client's copy is up to date.", {}, [contentTag], 304),
            ...errors(404),
            answer('The range is outside the content.', {}, [contentRange], 416),
          ],
        }
      : undefined,

  thumbnail: (access) =>
    hasDocuments(access, ['image'])
      ? {
          id: 'thumbnail',
          summary: 'Get the thumbnail of an image',
          parameters: [ifNoneMatch],
          answers: [
            answer('A picture.', { 'image/webp': anyBytes }, [contentTag]),
            answer("The client's copy is up to date.", {}, [contentTag], 304),
            ...errors(404),
          ],
        }
      : undefined,

  upload: (access) =>
    hasDocuments(access, ['document', 'image']) && mayWrite(access, 'U')
      ? {
          id: 'upload',
          summary: 'Put a document or image into a field',
          text: 'Without `_name` the name is that of the header `Content-Disposition`, or of the field.',
          parameters: [
            headerParameter('If-Match', 'Expected tag of the current content; 412 if it has changed.'),
            headerParameter('If-None-Match', '`*`: 412 if there is already a content.'),
          ],
          body: {
            required: true,
            text: 'The content, as it is; for an image field, that of a picture.',
            content: { '*/*': anyBytes },
          },
          answers: [
            answer('The record.', recordContent(access), [header('ETag', 'Tag of the content.', false)]),
            ...errors(404, 409, 412, 413, 415),
          ],
        }
      : undefined,
} satisfies Partial<Record<ServiceOperation, Describe>>

export const documentationContents = {
  summary: 'This documentation',
  text: 'Markdown, or what `_output` says. OpenAPI is JSON, or YAML if only YAML is accepted.',
  answers: [
    answer('The documentation.', {
      'text/markdown': { type: 'string' },
      'text/html': { type: 'string' },
      'application/json': { type: 'object' },
      'application/yaml': { type: 'string' },
    }),
    ...errors(),
  ],
}

/** What a search by words finds, or with `_count` how much. Source: docs/spec/rest-service.md, "Index record". */
export function indexAnswer(data: Schema): Schema {
  const text: Schema = { type: 'string' }
  const record = exactly({ object: text, row_id: text, key: text, value: text, data, score: { type: 'number' } })
  return { anyOf: [listOf(record), reference('rest.Count')] }
}

function hasDocuments({ object, may, hides }: Access, types: readonly string[]): boolean {
  return may('R') && object.documents.some((field) => field.visible && !hides(field) && types.includes(field.type.name))
}
