import { formatBytes } from './content.js'
import { useBlobUrl } from './use-blob-url.js'

/** Saves bytes as a file. */
export function DownloadLink(props: { bytes: Uint8Array<ArrayBuffer> | Blob; mime: string; name: string }) {
  const { bytes, mime, name } = props
  const url = useBlobUrl(bytes, mime)
  const size = bytes instanceof Blob ? bytes.size : bytes.length
  return (
    <a href={url} download={name}>
      Download {name} ({formatBytes(size)})
    </a>
  )
}
