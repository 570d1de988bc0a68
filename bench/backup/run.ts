import { runBenches } from '../manager/run-benches.ts'
import { benchMemory } from './memory.ts'
import { benchPackers } from './packers.ts'
import { benchUpload } from './upload.ts'
import { benchVerify } from './verify.ts'

await runBenches({
  script: 'bench:backup',
  about: 'Measures backups and their copies at targets against the programs that a user would take.',
  benches: { upload: benchUpload, verify: benchVerify, memory: benchMemory, packers: benchPackers },
})
