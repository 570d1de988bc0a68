import { filesBase } from '../../backup/manifest.js'
import {
  forgeBackup,
  forgedFile,
  forgedHeader,
  forgedPax,
  hidden,
  withMore,
  type ForgedHeader,
} from '../forged-archive.js'
import type { Forgery } from './forgery.js'

type Variables = Readonly<Record<string, string>>

/** More entries in the archive of the files. */
function archive(name: string, entries: (variables: Variables) => readonly Buffer[]): Forgery {
  return {
    name,
    forge: (folder, variables) => forgeBackup(folder, filesBase, (tar) => withMore(tar, entries(variables))),
  }
}

const header = (fields: ForgedHeader) => [forgedHeader(fields)]
const device = forgedHeader({ name: 'data/disk', type: '4', mode: 0o666 })
/** A link, and a file that would be written through it. */
const through = (link: ForgedHeader, file: string) => [forgedHeader(link), ...forgedFile({ name: file }, 'forged\n')]

export const archiveForgeries: readonly Forgery[] = [
  archive('a block device', () => [device]),
  archive('a character device', () => header({ name: 'data/null', type: '3', mode: 0o666 })),
  archive('a pipe', () => header({ name: 'data/pipe', type: '6' })),
  archive('a device hidden in a sparse file of GNU tar', () => hidden('data', device)),
  archive('a device hidden after a volume label', () => [
    forgedHeader({ name: 'label', type: 'V', gnu: true }),
    device,
  ]),
  archive('a device hidden in a folder with its names', () => [
    forgedHeader({ name: 'data/', type: 'D', gnu: true, size: 512 }),
    Buffer.alloc(512),
    device,
  ]),
  archive('a continued file of another volume', () => header({ name: 'data/more', type: 'M', gnu: true })),
  archive('a contiguous file', () => forgedFile({ name: 'data/seven', type: '7' }, 'x')),
  archive('names for all entries that follow', ({ VICTIM = '' }) => [
    ...forgedFile({ name: 'pax', type: 'g' }, record('path', `${VICTIM}/global`)),
    ...forgedFile({ name: 'data/global' }, 'forged\n'),
  ]),
  archive('a name of the sparse format', ({ VICTIM = '' }) => [
    ...forgedPax({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0', 'GNU.sparse.name': `${VICTIM}/sparse` }),
    ...forgedFile({ name: 'data/sparse' }, `1\n0\n0\n${'\0'.repeat(506)}`),
  ]),
  archive('a name out of the archive', ({ VICTIM = '' }) => forgedFile({ name: `${VICTIM}/absolute` }, 'forged\n')),
  archive('a name that leads up', () => forgedFile({ name: 'data/../../../../up' }, 'forged\n')),
  archive('a long name that leads up', ({ VICTIM = '' }) => [
    ...forgedPax({ path: `data/../../../../../../../../../..${VICTIM}/long` }),
    ...forgedFile({ name: 'data/long' }, 'forged\n'),
  ]),
  archive('a link out, and a file through it', ({ VICTIM = '' }) =>
    through({ name: 'data/out', type: '2', linkname: VICTIM }, 'data/out/new'),
  ),
  archive('a link up, and a file through it', () =>
    through({ name: 'data/up', type: '2', linkname: '../../../..' }, 'data/up/up'),
  ),
  archive('a link within, and a link through it', ({ VICTIM = '' }) => [
    forgedHeader({ name: 'data/in', type: '2', linkname: '.' }),
    ...through({ name: 'data/in/out', type: '2', linkname: VICTIM }, 'data/in/out/new'),
  ]),
  archive('a hard link to a secret of root', ({ SECRET = '' }) =>
    header({ name: 'data/hard', type: '1', linkname: SECRET }),
  ),
  archive('a hard link to a link', ({ SECRET = '' }) => [
    forgedHeader({ name: 'data/soft', type: '2', linkname: SECRET }),
    forgedHeader({ name: 'data/hard', type: '1', linkname: 'data/soft' }),
  ]),
  archive('a set-uid program', () => forgedFile({ name: 'data/su', mode: 0o4755 }, '#!/bin/sh\n')),
  archive('a set-uid program hidden in a sparse file', () =>
    hidden('data', ...forgedFile({ name: 'data/su', mode: 0o6755 }, '')),
  ),
  archive('settings and an account beside the folders', () => [
    ...forgedFile({ name: 'settings.sh' }, 'export BASH_ENV=/tmp/evil\n'),
    ...forgedFile({ name: 'account' }, 'root 1 1\n'),
  ]),
  archive('settings hidden in a sparse file', () => hidden('data', ...forgedFile({ name: 'settings.sh' }, 'x'))),
  archive('a file in the place of a folder', () => forgedFile({ name: 'data' }, 'forged\n')),
  archive('a link in the place of a folder', ({ VICTIM = '' }) => header({ name: 'app', type: '2', linkname: VICTIM })),
]

function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return `${length}${rest}`
}
