import { visitForeign, type ForeignEntry } from '../accounts/foreign.js'

/** Bytes of all files below a folder that can be read; 0 when it is not there. Files that go away meanwhile do not count. */
export async function folderSize(folder: string): Promise<number> {
  let bytes = 0
  const add = ({ kind, stats }: ForeignEntry) => {
    if (kind === 'file') bytes += stats.size
  }
  await visitForeign(folder, add, { onClosed: () => undefined })
  return bytes
}
