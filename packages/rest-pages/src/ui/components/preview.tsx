import { Skeleton } from '@steward/page-kit'
import { HtmlView, MarkdownView, PictureView, TextView, useBlobUrl } from '@steward/page-kit/viewers'
import '@steward/page-kit/markdown.css'
import '@steward/page-kit/viewers.css'
import { useMemo } from 'preact/hooks'
import type { NamedFile } from '../lib/file.js'
import { t } from '../lib/i18n.js'
import { useAsked } from '../lib/use-asked.js'

/** A document as it looks, where nothing of it can run; what no viewer knows is named. */
export function Preview({ file: { blob, name, mime } }: { readonly file: NamedFile }) {
  if (mime.startsWith('image/')) return <PictureView bytes={blob} mime={mime} alt={name} failed={t('preview.failed')} />
  if (mime === 'application/pdf' && navigator.pdfViewerEnabled) return <PdfView blob={blob} name={name} />
  if (isText(mime)) return <Written blob={blob} name={name} mime={mime} />
  return <p class="quiet">{t('preview.none', { name })}</p>
}

function isText(mime: string): boolean {
  return mime.startsWith('text/') || /^application\/(?:.+\+)?(?:json|xml)$/.test(mime)
}

function Written({ blob, name, mime }: NamedFile) {
  const { data: text } = useAsked(name, () => blob.text())
  if (text === undefined) return <Skeleton lines={8} />
  if (mime === 'text/html') return <HtmlView html={text} title={name} />
  if (mime === 'text/markdown') return <MarkdownView markdown={text} table={t('preview.table')} />
  return <TextView text={text} label={name} more={(count) => t('preview.more', { count })} />
}

/** By the viewer of the browser. The type is set here, so that the browser takes it for nothing else. */
function PdfView({ blob, name }: Pick<NamedFile, 'blob' | 'name'>) {
  const pdf = useMemo(() => blob.slice(0, blob.size, 'application/pdf'), [blob])
  const address = useBlobUrl(pdf, pdf.type)
  return address === undefined ? null : <iframe class="pdf" src={address} title={name} />
}
