import { runBenches } from '../manager/run-benches.ts'
import { benchList } from './list.ts'
import { benchPages } from './pages.ts'

await runBenches({
  script: 'bench:server',
  about: "Measures the manager's server and its pages against the least that sends the same.",
  benches: { list: benchList, pages: benchPages },
})
