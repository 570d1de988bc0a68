import { benchClone } from './clone.ts'
import { benchList } from './list.ts'
import { benchMemory } from './memory.ts'
import { runBenches } from './run-benches.ts'
import { benchSave } from './save.ts'
import { benchScale } from './scale.ts'
import { benchStart } from './start.ts'
import { benchWake } from './wake.ts'

await runBenches({
  script: 'bench:manager',
  about: 'Measures the instances manager against doing the same by hand.',
  benches: {
    start: benchStart,
    list: benchList,
    memory: benchMemory,
    save: benchSave,
    clone: benchClone,
    wake: benchWake,
    scale: benchScale,
  },
})
