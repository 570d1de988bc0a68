import { runBenches } from '../manager/run-benches.ts'
import { benchMemory } from './memory.ts'
import { benchPackers } from './packers.ts'
import { benchRestore } from './restore.ts'
import { benchUpload } from './upload.ts'
import { benchVerify } from './verify.ts'

await runBenches({
  script: 'bench:backup',
  about: 'Measures backups and their copies at targets against the programs that a user would take.',
  benches: {
    upload: benchUpload,
    verify: benchVerify,
    restore: benchRestore,
    memory: benchMemory,
    packers: benchPackers,
  },
})
