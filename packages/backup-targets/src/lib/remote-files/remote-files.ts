import type { Readable } from 'node:stream'
import type { Entry, Folders } from '../walk.js'

/**
 * The files of a server below one folder, as far as a target needs them: what SFTP and FTP have in
 * common. Paths are relative to that folder, `/`-separated; the empty one is the folder itself. Failures are
 * `TargetError`s, those of an aborted call its reason.
 */
export interface RemoteFiles extends Folders<RemoteEntry> {
  /** `move` without `replace` is decided by the server, so that of two one wins. */
  readonly movesExclusively: boolean
  /** A regular file; undefined: there is none. */
  stat(path: string, signal?: AbortSignal): Promise<RemoteFile | undefined>
  /**
   * Writes into a file from byte `start` on, which is 0 (what is there is dropped) or its size, and makes its folders.
   * Resolves when the server has everything, on its disk where the server can confirm it. An error of the chunks is passed on.
   */
  write(path: string, start: number, chunks: AsyncIterable<Buffer>, options: WriteOptions): Promise<void>
  /** Bytes from `start` up to `end` (exclusive). The stream fails when the file has less. */
  read(path: string, start: number, end: number, signal?: AbortSignal): Promise<Readable>
  /** Renames within a folder. @throws TargetError ERR_TARGET_EXISTS without `replace`. */
  move(from: string, to: string, replace: boolean, signal?: AbortSignal): Promise<void>
  /** Removes a file. @returns whether there was one. */
  remove(path: string, signal?: AbortSignal): Promise<boolean>
  /** Removes a folder. @returns whether it did: not when something is in it. */
  removeFolder(path: string, signal?: AbortSignal): Promise<boolean>
  /** SHA-256 of a file as the server computes it, lower-case hex. Absent when it cannot. */
  sha256?(path: string, signal?: AbortSignal): Promise<string>
  close(): Promise<void>
}

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the number of further bytes that the server has taken. */
  onBytes(bytes: number): void
}

export interface RemoteFile {
  readonly size: number
  readonly modified: Date
}

export interface RemoteEntry extends Entry, RemoteFile {}

export const sha256OfNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
