import { TargetError } from '../target-error.js'
import type { TargetType } from '../target-type.js'

export const target: TargetType = {
  name: 'local',
  title: 'local',
  options: [],
  open() {
    throw new TargetError('ERR_TARGET_SETTINGS', 'Not there yet: local')
  },
  describe: () => 'local:',
}
