import { TargetError } from '../target-error.js'
import type { TargetType } from '../target-type.js'

export const target: TargetType = {
  name: 's3',
  title: 's3',
  options: [],
  open() {
    throw new TargetError('ERR_TARGET_SETTINGS', 'Not there yet: s3')
  },
  describe: () => 's3:',
}
