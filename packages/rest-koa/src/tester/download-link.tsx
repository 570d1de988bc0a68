import { useBlobUrl } from '@steward/page-kit/viewers'
import { formatBytes } from '@steward/page-kit/format'
import { t } from './i18n.js'

/** Saves bytes as a file. */
export function DownloadLink(props: { bytes: Uint8Array<ArrayBuffer> | Blob; mime: string; name: string }) {
  const { bytes, mime, name } = props
  const url = useBlobUrl(bytes, mime)
  const size = bytes instanceof Blob ? bytes.size : bytes.length
  return (
    <a href={url} download={name}>
      {t('answer.download', { name, size: formatBytes(size) })}
    </a>
  )
}
