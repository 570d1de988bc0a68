import { visitForeignFiles } from '../accounts/foreign.js'

/** Bytes of all files below a folder; 0 when it is not there. Files that go away meanwhile do not count. */
export async function folderSize(folder: string): Promise<number> {
  let bytes = 0
  await visitForeignFiles(folder, ({ size }) => {
    bytes += size
  })
  return bytes
}
