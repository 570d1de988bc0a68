import { isAbsolute } from 'node:path'
import { TargetError } from '../target-error.js'
import type { TargetType } from '../target-type.js'
import { createLocalTarget } from './target.js'

export const target: TargetType = {
  name: 'local',
  title: 'Folder of this machine, or mounted there',
  options: [{ name: 'path', summary: 'Absolute path of a folder that is there', required: true }],
  open({ path = '' }) {
    if (isAbsolute(path)) return createLocalTarget({ path })
    throw new TargetError('ERR_TARGET_SETTINGS', `The path ${JSON.stringify(path)} of a local target is not absolute.`)
  },
  describe: ({ path = '' }) => `file://${path}`,
}
