import { Button, Dialog, Skeleton } from '@steward/page-kit'
import { download, type NamedFile } from '../lib/file.js'
import { t } from '../lib/i18n.js'
import { useAsked } from '../lib/use-asked.js'
import { Preview } from './preview.js'
import { Problem } from './problem.js'

export interface FileDialogProps {
  readonly title: string
  readonly load: (signal: AbortSignal) => Promise<NamedFile>
  readonly onClose: () => void
}

/** Shows a document, and saves it. */
export function FileDialog({ title, load, onClose }: FileDialogProps) {
  const { data: file, failure, reload } = useAsked(title, load)
  return (
    <Dialog
      title={title}
      size="wide"
      onClose={onClose}
      footer={
        file && (
          <Button kind="primary" icon="save" onClick={() => download(file.blob, file.name)}>
            {t('file.download')}
          </Button>
        )
      }
    >
      {failure !== undefined ? (
        <Problem failure={failure} onRetry={reload} />
      ) : file ? (
        <Preview file={file} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Dialog>
  )
}
