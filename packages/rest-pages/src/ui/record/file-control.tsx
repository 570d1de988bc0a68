import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, Icon, formatBytes, toast } from '@steward/page-kit'
import { useId, useRef, useState } from 'preact/hooks'
import { FileDialog } from '../components/file-dialog.js'
import { messageOf } from '../components/problem.js'
import { download, fileOf, type NamedFile } from '../lib/file.js'
import { t } from '../lib/i18n.js'
import { labelOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { uploadingClient } from '../lib/upload.js'
import { useAsked } from '../lib/use-asked.js'
import '../styles/file.css'

export interface FileControlProps {
  readonly metadata: ObjectMetadata
  readonly field: FieldMetadata
  /** Absent: the record is new, and gets its documents when it has been created. */
  readonly id?: string | undefined
  /** As it is saved: the id of a document, or empty. */
  readonly saved: unknown
  /** What the form holds: the same, nothing, or a file for a new record. */
  readonly draft: unknown
  /** Absent: it may only be looked at. */
  readonly onChange?: ((draft: unknown) => void) | undefined
  /** A document was stored: the record is another one now. */
  readonly onStored?: () => Promise<unknown>
  readonly error?: string | undefined
}

/** A document or picture: looked at, saved, replaced by one that is chosen or dropped here, removed. */
export function FileControl(props: FileControlProps) {
  const { metadata, field, id, saved, draft, onChange, onStored, error } = props
  const inputId = useId()
  const input = useRef<HTMLInputElement>(null)
  const [part, setPart] = useState<number>()
  const [isOver, setOver] = useState(false)
  const [failure, setFailure] = useState('')
  const [isShown, show] = useState(false)
  const sending = useRef<AbortController>(undefined)
  const label = labelOf(field, metadata)
  const isPicture = field.type === 20
  const isThere = saved !== null && saved !== undefined && saved !== ''
  const isKept = isThere && draft !== ''
  const load = async (signal?: AbortSignal): Promise<NamedFile> =>
    fileOf(await client.object(metadata.name).download(String(id), field.name, { signal }), field.name)

  async function take(file: File | undefined): Promise<void> {
    if (!file || !onChange || part !== undefined) return
    setFailure('')
    if (id === undefined) return onChange(file)
    sending.current = new AbortController()
    setPart(0)
    try {
      const { name, type } = file
      const document = { name, type: type || undefined }
      const { signal } = sending.current
      await uploadingClient(setPart).object(metadata.name).upload(id, field.name, file, document, { signal })
      await onStored?.()
      toast(t('file.stored', { name }))
    } catch (reason) {
      if (!sending.current.signal.aborted) setFailure(messageOf(reason))
    } finally {
      setPart(undefined)
    }
  }

  const said = error ?? failure
  const errorId = said === '' ? undefined : `${inputId}-error`
  const validity = { 'aria-invalid': errorId !== undefined, 'aria-describedby': errorId }
  return (
    <div
      class={`field file ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        if (!onChange || !event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (!onChange) return
        event.preventDefault()
        void take(event.dataTransfer?.files[0])
      }}
    >
      {onChange ? (
        <label for={inputId}>
          {label}
          {field.required && <span aria-hidden="true"> *</span>}
        </label>
      ) : (
        <span>{label}</span>
      )}
      {onChange && (
        <input
          ref={input}
          id={inputId}
          class="hidden"
          type="file"
          tabIndex={-1}
          accept={isPicture ? 'image/*' : undefined}
          {...validity}
          onChange={(event) => {
            const chosen = event.currentTarget
            void take(chosen.files?.[0])
            // The same file may be chosen again.
            chosen.value = ''
          }}
        />
      )}
      <div class="file-place">
        {draft instanceof File ? (
          <span>
            {draft.name} <span class="quiet">{formatBytes(draft.size)}</span>
          </span>
        ) : isKept ? (
          id !== undefined && <Stored metadata={metadata} field={field} id={id} document={String(saved)} />
        ) : (
          <span class="quiet">{t(isThere ? 'file.removed' : onChange ? 'file.drop' : 'file.nothing')}</span>
        )}
        {part !== undefined && (
          <>
            <progress aria-label={t('file.sending')} max={1} value={part} />
            <Button small onClick={() => sending.current?.abort()}>
              {t('button.cancel')}
            </Button>
          </>
        )}
        {part === undefined && (
          <div class="file-buttons">
            {isKept && id !== undefined && (
              <>
                <Button small onClick={() => show(true)}>
                  {t('file.preview')}
                </Button>
                <Button
                  small
                  icon="save"
                  onClick={() =>
                    void load().then(
                      ({ blob, name }) => download(blob, name),
                      (reason: unknown) => toast(messageOf(reason), { tone: 'bad' }),
                    )
                  }
                >
                  {t('file.download')}
                </Button>
              </>
            )}
            {onChange && (
              <Button small icon="up" onClick={() => input.current?.click()}>
                {t(isKept || draft instanceof File ? 'file.replace' : 'file.choose')}
              </Button>
            )}
            {onChange && (isKept || draft instanceof File) && !field.required && (
              <Button small icon="trash" onClick={() => onChange('')}>
                {t('file.remove')}
              </Button>
            )}
            {onChange && isThere && draft === '' && (
              <Button small onClick={() => onChange(saved)}>
                {t('file.keep')}
              </Button>
            )}
          </div>
        )}
      </div>
      {errorId !== undefined && (
        <span class="field-error" id={errorId}>
          {said}
        </span>
      )}
      {isShown && <FileDialog title={label} load={load} onClose={() => show(false)} />}
    </div>
  )
}

interface StoredProps extends Pick<FileControlProps, 'metadata' | 'field'> {
  readonly id: string
  readonly document: string
}

/** What the service knows of a document, with its picture in small. */
function Stored({ metadata, field, id, document }: StoredProps) {
  const { data } = useAsked(`${id} ${document}`, (signal) => infoOf(metadata, field, id, signal))
  const { name, size, thumbnail } = data ?? {}
  return (
    <span class="file-stored">
      {thumbnail ? <img src={`data:image/webp;base64,${thumbnail}`} alt="" /> : <Icon name="box" />}
      {name} {size !== undefined && <span class="quiet">{formatBytes(size)}</span>}
    </span>
  )
}

interface StoredInfo {
  readonly name: string
  readonly size?: number
  /** WebP in base64. */
  readonly thumbnail?: string | null
}

async function infoOf(
  { name: object }: ObjectMetadata,
  { name: field, type }: FieldMetadata,
  id: string,
  signal: AbortSignal,
): Promise<StoredInfo> {
  const records = client.object(object)
  if (type === 20)
    return (await records.get(id, { fields: [field], inlineThumbnails: [field], signal }))[field] as StoredInfo
  // The first byte comes with the name and the size.
  const answer = await records.download(id, field, { range: 'bytes=0-0', signal })
  const { name } = await fileOf(answer, field)
  const [, size] = /\/(\d+)$/.exec(answer.headers.get('content-range') ?? '') ?? []
  return { name, ...(size !== undefined && { size: Number(size) }) }
}
