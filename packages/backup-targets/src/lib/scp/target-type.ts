import { TargetError } from '../target-error.js'
import type { TargetType } from '../target-type.js'

export const target: TargetType = {
  name: 'scp',
  title: 'scp',
  options: [],
  open() {
    throw new TargetError('ERR_TARGET_SETTINGS', 'Not there yet: scp')
  },
  describe: () => 'scp:',
}
